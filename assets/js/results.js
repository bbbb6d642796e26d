// What the Results tab does in the browser itself.

// The address follows the campaign that is open, so that a reload or a copied link comes back to it.
function opened(name) {
  const address = new URL(location.href), language = address.searchParams.get('lang');
  address.search = name ? '?results=' + encodeURIComponent(name) : '?tab=results';
  if (language) address.searchParams.set('lang', language);
  if (address.href !== location.href) history.replaceState(history.state, '', address);
}
