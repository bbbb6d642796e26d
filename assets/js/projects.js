// What the owner of annotation projects does in the browser; annotate.js is the annotators' page.

// A project of the list was chosen, a disagreement decided, or a text taken out or brought back.
function act(element, trigger) {
  // An update closes what it draws again; what the owner opened stays open.
  const unfolded = new Set();
  element.addEventListener('toggle', event => {
    const fold = event.target;
    if (!fold.open && unfolded.has(fold.querySelector('summary')?.textContent)) fold.open = true;
  }, true);
  if (element.closest('#project'))
    for (const kind of ['pointermove', 'keydown', 'focusin'])
      element.addEventListener(kind, () => { window.hinterTouched = Date.now(); }, {passive: true});
  // Up and down go from question to question, left and right from answer to answer; an answer's key
  // gives it to the question in which the focus is.
  element.addEventListener('keydown', event => {
    const row = event.target.closest('button') && event.target.closest('.dispute-list .dispute-actions');
    if (!row || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}[event.key];
    const aside = /Left|Right/.test(event.key);
    const rows = [...element.querySelectorAll('.dispute-list .dispute-actions')];
    const near = aside ? [...row.querySelectorAll('button')] : rows;
    const next = by && near[near.indexOf(aside ? event.target : row) + by];
    const key = row.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (next) (aside ? next : next.querySelector('button')).focus();
    else if (key) key.click();
    if (by || key) event.preventDefault();
  });
  element.addEventListener('keydown', event => {
    if (event.key === 'Enter' && event.target.name === 'query')
      event.target.closest('[data-form]').querySelector('[data-do=find]').click();
  });
  element.addEventListener('click', async event => {
    const button = event.target.closest('button');
    const summary = event.target.closest('summary');
    if (summary) unfolded[summary.parentElement.open ? 'delete' : 'add'](summary.textContent);
    if (!button) return;
    const own = button.closest('[data-person], [data-form]');
    if (own && (button.dataset.do || button.dataset.page)) {
      let given = [...own.querySelectorAll('[name]')];
      const fields = [];
      if (own.matches('.settings')) {  // another window may have changed the rest meanwhile
        given = given.filter(field => field.type === 'checkbox'
          ? field.checked !== field.defaultChecked : field.value !== field.defaultValue);
        fields.push(...given.map(field => [`was-${field.name}`, field.defaultValue]));
      }
      fields.push(...given.map(field =>
        [field.name, field.type === 'checkbox' ? (field.checked ? 'yes' : '') : field.value]));
      const page = Number(button.dataset.page ?? own.dataset.page ?? 0);
      trigger('select', {...own.dataset, ...button.dataset, ...Object.fromEntries(fields), page});
      return;
    }
    if (button.dataset.show) { trigger('select', {show: true}); return; }
    const {project, item, question, value, remove, restore} = button.dataset;
    if (project) trigger('select', {project});
    else if (remove) trigger('select', {remove});
    else if (restore) trigger('select', {restore});
    else if (item) trigger('select', {item, question, value});
    else if (button.matches('.copy-link')) {
      const link = button.parentElement.querySelector('a');
      try { await navigator.clipboard.writeText(link.href); button.append(' \u2713'); }
      catch { getSelection().selectAllChildren(link); }
    }
  });
}

// While the owner reads or decides, lists keep their order; a pointer that only rests holds up nothing.
function watched(current, seen) {
  const busy = Date.now() - (window.hinterTouched || 0) < 20000;
  return [current, seen, busy ? 'busy' : ''];
}

// The address follows the project that is open, so that a reload or a bookmark comes back to it. The
// keyboard goes on at the project's heading: the first button after the form removes a text.
async function opened(current) {
  const address = new URL(location.href), [name, key] = (current || '').split(' ');
  for (const part of ['annotate', 'owner', 'campaign', 'results'])
    address.searchParams.delete(part);
  address.hash = key || '';  // which browsers send to no server
  if (name) {
    address.searchParams.set('annotate', name);
    address.searchParams.set('owner', key ? '' : 'here');
  }
  if (address.href !== location.href) history.replaceState(history.state, '', address);
  if (!name) return;
  for (let turn = 0; turn < 60 && !document.getElementById('project-title'); turn++)
    await new Promise(done => setTimeout(done, 50));  // it may just be drawn
  document.getElementById('project-title')?.focus();
}
