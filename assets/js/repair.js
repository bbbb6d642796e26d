// Functions of the Repair tab; see hinter_ui/shared/wiring.py.

// A repair of the list is to be shown.
function list(element, trigger) {
  element.addEventListener('click', event => {
    const button = event.target.closest('[data-repair]');
    if (button) trigger('select', {repair: button.dataset.repair});
  });
}

// The address follows the repair that is open, so that a reload comes back to it.
function opened(element) {
  let before = '';
  const tell = () => {
    const now = element.querySelector('[data-opened]')?.dataset.opened || '';
    if (now !== before) window.hinter.follow('repair', now ? `?repair=${now}` : '?tab=repair', 'same');
    before = now;
  };
  new MutationObserver(tell).observe(element, {subtree: true, childList: true, attributes: true});
  tell();
}
