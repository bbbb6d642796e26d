"""What the Results tab does in the browser itself; no text of a visitor ever becomes part of it."""

from __future__ import annotations

# A finding is to be opened in Explore, or another page of findings shown.
FINDINGS_JS = """
element.addEventListener('click', event => {
  const turn = event.target.closest('[data-page]');
  if (turn) { trigger('select', {page: Number(turn.dataset.page)}); return; }
  const button = event.target.closest('button.open');
  if (!button) return;
  const told = {};
  for (const [name, value] of Object.entries(button.dataset)) told[name] = Number(value);
  trigger('select', told);
});
"""

# The file lies under a name that cannot be guessed, and goes when the page is closed.
DOWNLOAD_JS = """(place) => {
  if (!place) return;
  const link = document.createElement('a');
  link.href = new URL('gradio_api/file=' + place, location.origin + location.pathname).href;
  link.download = place.split(/[\\\\/]/).pop();
  document.body.append(link);
  link.click();
  link.remove();
}"""
