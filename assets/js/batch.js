// What the Batch tab does in the browser itself.

// A campaign of the list was chosen; the list is drawn anew, so the focus goes back to its row.
function list(element, trigger) {
  let held = '';
  element.addEventListener('click', event => {
    const button = event.target.closest('[data-campaign]');
    if (!button) return;
    held = button.dataset.campaign;
    trigger('select', {campaign: held});
  });
  element.addEventListener('focusin', event => { held = event.target.dataset.campaign || ''; });
  document.addEventListener('pointerdown', event => {
    if (!element.contains(event.target)) held = '';
  });
  new MutationObserver(() => {
    if (!held || document.activeElement !== document.body) return;
    const buttons = [...element.querySelectorAll('[data-campaign]')];
    buttons.find(button => button.dataset.campaign === held)?.focus({preventScroll: true});
  }).observe(element, {childList: true, subtree: true});
}

// An attribute that the look at the data offers is ticked; the keyboard goes on at its box.
function ticked(element) {
  element.addEventListener('click', event => {
    const name = event.target.closest('[data-tick]')?.dataset.tick;
    const box = [...document.querySelectorAll('#batch-attributes input')].find(one => one.name === name);
    box?.focus({preventScroll: true});
    box?.click();
  });
}

// What has become of the open campaign is read out, in whatever tab one is, and the page's title says
// how much of it is done. Not the box itself is live: it changes every second or two.
function told(element) {
  let before = '';
  const tell = () => {
    const {told = '', share} = element.querySelector('.job-progress')?.dataset ?? {};
    document.title = share ? `${share} % - HInter` : 'HInter';
    if (told && told !== before) document.getElementById('page-told').textContent = told;
    before = told;
  };
  new MutationObserver(tell).observe(element, {subtree: true, childList: true, attributes: true});
  tell();
}

// The address follows the campaign that is open, so that a reload or a bookmark comes back to it. The
// keyboard goes on at the campaign that its button started.
function opened(name) {
  const address = new URL(location.href), {lang} = document.documentElement;
  if (name) address.search = '?campaign=' + encodeURIComponent(name);
  if (name && lang !== 'en') address.searchParams.set('lang', lang);
  if (!name) address.searchParams.delete('campaign');
  if (address.href !== location.href) history.replaceState(history.state, '', address);
  if (!name) document.title = 'HInter';
  if (!name || document.querySelector('[role=listbox]')) return;  // a list was opened meanwhile
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const box = document.getElementById('job');
  box?.scrollIntoView({block: 'start', behavior: calm ? 'auto' : 'smooth'});
  if (document.activeElement.id === 'batch-start')
    document.getElementById('job-name')?.focus({preventScroll: true});
}

// The form was filled in from elsewhere. gradio may draw what it was told of the source a little later.
async function filled() {
  await window.hinter.drawn('batch');
  const given = '#batch-source input:is([value=hand], [value=grammar]):checked';
  let chosen = document.querySelector(given);
  for (let turn = 0; turn < 60 && !chosen; turn++) {
    await new Promise(done => setTimeout(done, 50));
    chosen = document.querySelector(given);
  }
  if (!chosen) return;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  document.getElementById('batch-source').scrollIntoView({block: 'center', behavior: calm ? 'auto' : 'smooth'});
  chosen.focus({preventScroll: true});
}

// What a reload brings back; of a file, only that there was one.
function noted(names, files, ...values) {
  document.body.dataset.noted = 'here';
  const said = n => files.includes(names[n])
    ? JSON.stringify(values[n] ?? null).includes('"path"') : values[n];
  return [Object.fromEntries(names.map((name, n) => [name, said(n)]))];
}

// What an earlier page noted, and not this one: that would come over what is typed meanwhile.
function before(value) {
  return [document.body.dataset.noted ? null : value];
}
