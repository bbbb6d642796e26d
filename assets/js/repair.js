// Functions of the Repair tab; see hinter_ui/shared/wiring.py.

// A repair of the list is to be shown.
function list(element, trigger) {
  element.addEventListener('click', event => {
    const button = event.target.closest('[data-repair]');
    if (button) trigger('select', {repair: button.dataset.repair});
  });
}
