// What the Results tab does in the browser itself.

// Another campaign is on its way: what the page shows is not of the one that is named above it.
function opening(...values) {
  const page = document.getElementById('results-page');
  if (page) page.dataset.changed = '';
  return values;
}

// The address follows the campaign that is open, so that a reload or a copied link comes back to it.
function opened(chosen, query) {
  if (chosen) delete document.getElementById('results-page')?.dataset.changed;
  const address = new URL(location.href), {lang} = document.documentElement;
  if (!query && address.searchParams.has('results')) return;  // what it names is still being opened
  address.search = query || '?tab=results';
  if (lang !== 'en') address.searchParams.set('lang', lang);
  if (address.href !== location.href) history.replaceState(history.state, '', address);
}

// The address names the section that was unfolded last.
function unfolded(key) {
  const address = new URL(location.href);
  if (key) address.searchParams.set('section', key);
  else address.searchParams.delete('section');
  if (!address.searchParams.has('results') && !address.searchParams.has('tab')) return;
  if (address.href !== location.href) history.replaceState(history.state, '', address);
}

// The address itself may have lost the section meanwhile; the page's own entry has it as it came.
function revealed() {
  const [page] = performance.getEntriesByType('navigation');
  const key = new URL(page?.name ?? location.href).searchParams.get('section');
  if (!key) return;
  // Until somebody acts, the section is kept open and in view: gradio may lay the first state of a
  // fold over the one that was sent, and what is drawn later pushes the section away.
  const done = new AbortController();
  const show = () => {
    const fold = document.getElementById(`results-fold-${key}`);
    const top = fold?.getBoundingClientRect().top ?? 0;
    if (top < 0 || top > innerHeight / 2) fold.scrollIntoView({block: 'start'});
  };
  const open = () => {
    if (done.signal.aborted) return;
    const label = document.querySelector(`#results-fold-${key} .label-wrap`);
    if (label && !label.classList.contains('open')) label.click();
    setTimeout(open, 500);
  };
  const drawn = new ResizeObserver(show);
  for (const name of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
    addEventListener(name, () => { drawn.disconnect(); done.abort(); }, {signal: done.signal});
  addEventListener('scroll', show, {signal: done.signal});
  drawn.observe(document.querySelector('gradio-app') ?? document.body);
  show();
  setTimeout(open, 500);
}

// The labels in the list of campaigns, once it is unfolded, take the place of the second input.
async function counted(kept) {
  await new Promise(drawn => setTimeout(drawn, 200));
  const list = document.querySelectorAll('[role=listbox] [role=option]');
  return [kept, [...list].map(one => one.ariaLabel)];
}

// The command of the gate goes to the clipboard.
async function copied() {
  const command = document.querySelector('#results-beside .command');
  const button = document.getElementById('results-copy'), words = button?.textContent;
  if (!command || !button) return;
  try { await navigator.clipboard.writeText(command.textContent); button.textContent += ' \u2713'; }
  catch { getSelection().selectAllChildren(command); return; }
  setTimeout(() => { button.textContent = words; }, 2000);
}

// The rest of the findings of one text is to be shown.
function groups(element, trigger) {
  element.addEventListener('click', event => {
    const button = event.target.closest('button.more');
    if (!button) return;
    const {groupShard, groupRow, attributes} = button.dataset;
    trigger('select', {more: attributes, shard: Number(groupShard), row: Number(groupRow)});
  });
}
