// What the owner of annotation projects does in the browser; annotate.js is the annotators' page.

// A project of the list was chosen, a disagreement decided, or a text taken out or brought back.
function act(element, trigger) {
  element.addEventListener('click', async event => {
    const button = event.target.closest('button');
    if (!button) return;
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

// The address follows the project that is open, so that a reload or a bookmark comes back to it.
function opened(current) {
  const address = new URL(location.href), [name, key] = (current || '').split(' ');
  for (const part of ['annotate', 'owner', 'campaign', 'results'])
    address.searchParams.delete(part);
  address.hash = key || '';  // which browsers send to no server
  if (name) {
    address.searchParams.set('annotate', name);
    address.searchParams.set('owner', key ? '' : 'here');
  }
  if (address.href !== location.href) history.replaceState(history.state, '', address);
  if (name) document.getElementById('project-head')?.scrollIntoView({block: 'nearest'});
}
