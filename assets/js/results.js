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
  const address = new URL(location.href), language = address.searchParams.get('lang');
  if (!query && address.searchParams.has('results')) return;  // what it names is still being opened
  address.search = query || '?tab=results';
  if (language) address.searchParams.set('lang', language);
  if (address.href !== location.href) history.replaceState(history.state, '', address);
}
