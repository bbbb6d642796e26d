// What the Explore tab does in the browser itself.

// A variant was chosen, of the list or of the hidden ones, by mouse or keyboard; or another page.
function picks(element, trigger) {
  // One question at a time, so that no older answer replaces a newer one: what is chosen meanwhile
  // is sent by `page.answered`.
  const holder = element.closest('.block[id]') || element;
  const send = data => {
    const now = () => { holder.sent = Date.now(); trigger('select', data); };
    if (Date.now() - (holder.sent || 0) > 20_000) now();
    else holder.next = now;
  };
  const show = (row, model) => {
    for (const line of document.querySelectorAll('#table tr[data-row]'))
      line.classList.toggle('selected', line.dataset.row === row);
    for (const pick of document.querySelectorAll(':is(#table, #found) .pick'))
      pick.setAttribute('aria-pressed', pick.dataset.row === row);
    send({row: Number(row), model: model || ''});
    const banner = document.getElementById('banner'), top = banner?.getBoundingClientRect().top;
    if (top >= 0 && top < innerHeight / 2) return;
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    banner?.scrollIntoView({behavior: calm ? 'auto' : 'smooth'});
  };
  element.addEventListener('click', event => {
    const turn = event.target.closest('[data-page]');
    if (turn) { send({page: Number(turn.dataset.page)}); return; }
    if (event.target.closest('[data-act=all]')) {
      const fold = document.querySelector('#all > button');
      if (!fold.classList.contains('open')) fold.click();
      fold.focus();
      return;
    }
    const line = event.target.closest('[data-row]');
    if (!line) return;
    const cell = event.target.closest('[data-model]');
    show(line.dataset.row, cell ? cell.dataset.model : '');
  });
  element.addEventListener('keydown', event => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step || !event.target.matches('.pick')) return;
    const picks = [...element.querySelectorAll('.pick')];
    const next = picks[picks.indexOf(event.target) + step];
    if (next) { event.preventDefault(); next.focus(); }
  });
}

// A replacement was chosen in a list, or the pair is to be checked as it stands.
function pairs(element, trigger) {
  let drawn, choice = 0, chosen = [], focused = -1;
  const lists = () => [...element.querySelectorAll('select')];
  const send = () => {
    choice += 1;
    trigger('select', {edits: chosen = lists().map(list => list.value), choice});
  };
  // What was chosen by hand would stay chosen in a list that is drawn anew. It does so only where
  // the lists were made before the choice was known; its own answer is still to come.
  new MutationObserver(() => {
    const box = element.querySelector('.pairs');
    if (box?.dataset.drawn === drawn) return;
    drawn = box?.dataset.drawn;
    const early = Number(box?.dataset.known) < choice;
    lists().forEach((list, place) => {
      const own = early && [...list.options].some(one => one.value === chosen[place]);
      list.value = own ? chosen[place] : list.querySelector('option[selected]').value;
    });
    if (document.activeElement === document.body) lists()[focused]?.focus({preventScroll: true});
  }).observe(element, {childList: true, subtree: true, attributes: true});
  element.addEventListener('change', send);
  document.addEventListener('pointerdown', () => { focused = -1; });
  document.addEventListener('focusin', event => { focused = lists().indexOf(event.target); });
  element.addEventListener('click', event => { if (event.target.closest('[data-act]')) send(); });
}

// After a check, bring its result or its notice into view if it lies low on the screen or below it.
// A list that was opened meanwhile would go out of view with its field: who chooses is left alone.
function reveal() {
  if (document.querySelector('[role=listbox]')) return;
  const told = document.querySelector('#notice .error') || document.querySelector('#banner');
  if (!told) return;
  const top = told.getBoundingClientRect().top;
  if (top > 0 && top < innerHeight * 0.6) return;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  scrollBy({top: top - innerHeight * 0.25, behavior: calm ? 'auto' : 'smooth'});
}

// Explore shows what was opened: its top comes into view, and the keyboard goes on there.
function arrive() {
  const tab = document.querySelector('.main-tabs [role=tab][aria-selected=true]');
  if (tab?.getAttribute('aria-controls') !== 'room-explore') return;
  scrollTo({top: 0});
  tab.focus({preventScroll: true});
}

// A person typed, pasted or deleted, or named a model that is not in the list. Who is quick has typed
// before the page listens.
function typed(element, trigger) {
  let waiting = 0;
  const tell = () => { clearTimeout(waiting); waiting = setTimeout(() => trigger('select', {}), 90); };
  document.addEventListener('input', event => { if (event.target.closest?.('#text')) tell(); });
  for (const left of ['focusout', 'keyup'])
    document.addEventListener(left, event => {
      const named = event.target.closest?.('#models') && (event.key ?? 'Enter') === 'Enter';
      if (named) tell();
    });
  // An attribute that is offered is ticked, a setting is set; the keyboard goes on at what it is for.
  element.addEventListener('click', event => {
    const {tick, set} = event.target.closest('[data-tick], [data-set]')?.dataset ?? {};
    if (set) {
      trigger('submit', {set});
      document.querySelector('#scan').focus({preventScroll: true});
    }
    const box = [...document.querySelectorAll('#attributes input')].find(one => one.name === tick);
    box?.focus({preventScroll: true});
    box?.click();
  });
  if (document.querySelector('#text textarea')?.value) tell();
}

// A button of an offer was pressed.
function offers(element, trigger) {
  element.addEventListener('click', event => {
    const button = event.target.closest('[data-act]');
    if (button) trigger('select', {act: button.dataset.act});
  });
}

// Of answers that come out of order, the one with the highest number stays: the browser hands on an
// answer late if it learns late of the question that it belongs to.
function newest(element) {
  let last = 0, kept = '';
  new MutationObserver(() => {
    const marks = document.createTreeWalker(element, NodeFilter.SHOW_COMMENT);
    let number = 0;
    while (!number && marks.nextNode()) number = Number(marks.currentNode.data);
    if (number > last) [last, kept] = [number, element.innerHTML];
    else if (element.innerHTML !== kept) element.innerHTML = kept;
  }).observe(element, {childList: true, subtree: true, characterData: true});
}

// What the address said before is shown again.
function returned(element, trigger) {
  const show = query => trigger('select', {query});
  window.hinter.back.explore = show;
  if (history.state?.query) show(history.state.query);
}

// The check that the address names; see `page.begin`.
function linked() {
  return [window.hinter.check()];
}

// The address follows what is shown, by the answer with the highest number.
function follow(how, answer) {
  const [number, query] = answer.split(' ');
  if (Number(number) < (window.hinter.explored || 0)) return;
  window.hinter.explored = Number(number);
  window.hinter.follow('explore', query ? '?' + query : '', how);
}

// Save verdict and square as they are shown, with the model's name, as a picture. They are drawn box
// by box and word by word: a browser draws no HTML into a picture that may be saved.
function picture(element) {
  const scale = 2, edge = 24, foot = 36;
  let pen;
  const seen = (part, lines) => {
    const style = getComputedStyle(part), boxless = style.display === 'contents';
    if (!(boxless || part.checkVisibility()) || part.matches('.sr-only, svg')) return;
    const width = parseFloat(style.borderTopWidth), round = parseFloat(style.borderTopLeftRadius) || 0;
    for (const box of part.getClientRects()) {
      pen.beginPath();
      pen.roundRect(box.x, box.y, box.width, box.height, Math.min(round, box.height / 2));
      pen.fillStyle = style.backgroundColor;
      pen.fill();
      [pen.strokeStyle, pen.lineWidth] = [style.borderTopColor, width];
      if (width && style.borderTopStyle !== 'none') pen.stroke();
    }
    if (part.tagName !== 'A') lines = `${lines} ${style.textDecorationLine}`;
    for (const child of part.childNodes)
      if (child.nodeType === Node.ELEMENT_NODE) seen(child, lines);
      else if (child.nodeType === Node.TEXT_NODE) written(child, style, lines);
  };
  const written = (node, style, lines) => {
    pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    pen.fillStyle = style.color;
    const range = document.createRange(), rise = pen.measureText('x').fontBoundingBoxAscent;
    const put = (from, to) => {
      range.setStart(node, from);
      range.setEnd(node, to);
      const boxes = range.getClientRects(), [box] = boxes;
      if (boxes.length > 1 && to - from > 1)
        for (let at = from; at < to; at++) put(at, at + 1);
      else if (box?.width) {
        pen.fillText(node.data.slice(from, to), box.x, box.y + rise);
        for (const [line, share] of [['line-through', .55], ['underline', .92]])
          if (lines.includes(line)) pen.fillRect(box.x, box.y + box.height * share, box.width, 1);
      }
    };
    for (const word of node.data.matchAll(/\S+ ?/g)) put(word.index, word.index + word[0].length);
  };
  element.addEventListener('click', event => {
    const button = event.target.closest('.save-picture');
    const parts = [...document.querySelectorAll('#banner .banner, #square .square-wrap')];
    if (!button || !parts.length) return;
    const boxes = parts.map(part => part.getBoundingClientRect());
    const width = Math.max(...boxes.map(box => box.width)) + 2 * edge;
    const height = boxes.reduce((sum, box) => sum + box.height + edge, edge) + foot;
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [scale * width, scale * height];
    pen = canvas.getContext('2d');
    pen.scale(scale, scale);
    pen.fillStyle = getComputedStyle(document.querySelector('.gradio-container')).backgroundColor;
    pen.fillRect(0, 0, width, height);
    const style = getComputedStyle(button);
    pen.font = `15px ${style.fontFamily}`;
    pen.fillStyle = style.color;
    pen.fillText(button.dataset.caption, edge, height - edge, width - 2 * edge);
    let next = edge;  // what stands between them on the page leaves no gap
    parts.forEach((part, number) => {
      const {left, top, height: own} = boxes[number];
      pen.setTransform(scale, 0, 0, scale, scale * (edge - left), scale * (next - top));
      seen(part, '');
      next += own + edge;
    });
    const link = document.createElement('a');
    [link.href, link.download] = [canvas.toDataURL('image/png'), 'hinter-check.png'];
    link.click();
  });
}
