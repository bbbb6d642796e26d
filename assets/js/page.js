// What the page does around the tabs, and what several tabs do alike.

// The keyboard goes on in the tab that is open, past the heading and the row of tabs.
function skip(element) {
  element.addEventListener('click', event => {
    if (!event.target.matches('.skip')) return;
    event.preventDefault();
    const tabs = document.querySelectorAll('.main-tabs > [role=tabpanel]');
    const open = [...tabs].find(tab => tab.offsetParent);
    if (!open) return;
    open.tabIndex = -1;
    open.focus();
  });
}

// The button beside a link copies it.
function copyLink(element) {
  element.addEventListener('click', async event => {
    if (!event.target.matches('.copy-link')) return;
    const link = element.querySelector('a.share');
    try { await navigator.clipboard.writeText(link.href); event.target.textContent = event.target.dataset.copied; }
    catch { event.target.textContent = event.target.dataset.uncopied; }
  });
}

// The answer to what a widget sent is there: what was chosen meanwhile is sent now.
function answered(id) {
  const element = document.getElementById(id), next = element?.next;
  if (element) element.sent = element.next = null;
  if (next) next();
}

// Save what the page holds as a file, without the server keeping one.
function save(kind, name, content) {
  const blob = new Blob([content], {type: kind});
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Fetch a file of the server: it lies under a name that cannot be guessed, and goes when the page
// is closed.
function fetchFile(place) {
  if (!place) return;
  const link = document.createElement('a');
  link.href = new URL('gradio_api/file=' + place, location.origin + location.pathname).href;
  link.download = place.split(/[\\/]/).pop();
  document.body.append(link);
  link.click();
  link.remove();
}

// A finding is to be opened in Explore, or another page of findings shown.
function findings(element, trigger) {
  element.addEventListener('click', event => {
    const turn = event.target.closest('[data-page]');
    if (turn) { trigger('select', {page: Number(turn.dataset.page)}); return; }
    const button = event.target.closest('button.open');
    if (!button) return;
    const told = {};
    for (const [name, value] of Object.entries(button.dataset)) told[name] = Number(value);
    trigger('select', told);
  });
}
