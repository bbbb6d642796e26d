"""What the Annotate tab does in the browser; no text of a visitor ever becomes part of it."""

from __future__ import annotations

from hinter_core.storage import ASSETS

# An annotator's page: joining, judging, and sending what was said until the server has it.
ROOM_JS = (ASSETS / "js" / "annotate.js").read_text(encoding="utf-8")

# A project of the list was chosen, a disagreement decided, or a text taken out.
OWNER_JS = """
element.addEventListener('click', async event => {
  const button = event.target.closest('button');
  if (!button) return;
  const {project, item, question, value, remove} = button.dataset;
  if (project) trigger('select', {project});
  else if (remove) trigger('select', {remove});
  else if (item) trigger('select', {item, question, value});
  else if (button.matches('.copy-link')) {
    const link = button.parentElement.querySelector('a');
    try { await navigator.clipboard.writeText(link.href); button.append(' \\u2713'); }
    catch { getSelection().selectAllChildren(link); }
  }
});
"""

# The address follows the project that is open, so that a reload or a bookmark comes back to it.
OPENED_JS = """(current) => {
  const address = new URL(location.href), [name, key] = (current || '').split(' ');
  for (const part of ['annotate', 'owner', 'campaign', 'results'])
    address.searchParams.delete(part);
  if (name) {
    address.searchParams.set('annotate', name);
    address.searchParams.set('owner', key || 'here');
  }
  history.replaceState(history.state, '', address);
  if (name) document.getElementById('project-head')?.scrollIntoView({block: 'nearest'});
}"""
