// An address with a section's name opens it.
function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named?.matches('details')) return;
  named.open = true;
  named.scrollIntoView();
}
addEventListener('hashchange', openNamed);
openNamed();

// Paper shows the first view, and all of the appendix unless two pages are asked for.
const buttons = document.querySelector('.print-buttons');
if (buttons) buttons.hidden = false;
buttons?.addEventListener('click', event => {
  document.documentElement.dataset.print = event.target.dataset.print || 'all';
  print();
});
let folded = [];
addEventListener('beforeprint', () => {
  if (document.documentElement.dataset.print === 'summary') return;
  folded = [...document.querySelectorAll('details:not([open])')];
  for (const one of folded) one.open = true;
});
addEventListener('afterprint', () => {
  for (const one of folded) one.open = false;
  folded = [];
  delete document.documentElement.dataset.print;
});
