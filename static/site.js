// Everything here improves a page that already works without it.
(() => {
  const root = document.documentElement, byId = id => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, props, ...children) => { const el = Object.assign(document.createElement(tag), props); el.append(...children); return el };
  const words = text => text.toLowerCase().split(/\s+/).filter(Boolean);
  root.classList.add('js');

  // Colours: the radio buttons work by CSS alone; the script only remembers the choice.
  const kept = root.dataset.theme && byId('th-' + root.dataset.theme);
  if (kept) kept.checked = true;
  delete root.dataset.theme;
  all('.theme input').forEach(radio => radio.addEventListener('change', () => {
    try { radio.id === 'th-auto' ? localStorage.removeItem('theme') : localStorage.setItem('theme', radio.id.slice(3)) } catch {}
  }));

  // Copy buttons.
  all('[data-copy]').forEach(figure => {
    const pre = figure.querySelector('pre'), button = make('button', { className: 'copy', type: 'button', textContent: 'Copy' });
    button.setAttribute('aria-label', 'Copy: ' + figure.dataset.copy);
    button.onclick = async () => {
      try { await navigator.clipboard.writeText(pre.textContent.trim()); button.textContent = 'Copied' }
      catch { getSelection().selectAllChildren(pre); button.textContent = 'Selected' }
      setTimeout(() => button.textContent = 'Copy', 1600);
    };
    (figure.querySelector('figcaption') || figure).append(button);
  });

  // Tabs: stacked sections become a tab list; arrows move, and an address with a #fragment opens its tab.
  const opened = [];
  all('.tabs').forEach(box => {
    const panels = all(':scope > section', box), list = make('div', { className: 'tablist' });
    if (panels.length < 2) return;
    list.setAttribute('role', 'tablist'); list.setAttribute('aria-label', box.dataset.label);
    const show = (at, focus) => tabs.forEach((tab, i) => {
      tab.setAttribute('aria-selected', i === at); tab.tabIndex = i === at ? 0 : -1; panels[i].hidden = i !== at;
      if (i === at && focus) tab.focus();
    });
    const tabs = panels.map((panel, i) => {
      const heading = panel.querySelector('h3, h4'), tab = make('button', { type: 'button', id: panel.id + '-tab', textContent: heading.textContent });
      tab.setAttribute('role', 'tab'); tab.setAttribute('aria-controls', panel.id); heading.hidden = true;
      panel.setAttribute('role', 'tabpanel'); panel.setAttribute('aria-labelledby', tab.id);
      tab.onclick = () => show(i);
      tab.onkeydown = event => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key], n = panels.length;
        if (step) show((i + step + n) % n, true); else if (event.key === 'Home') show(0, true); else if (event.key === 'End') show(n - 1, true); else return;
        event.preventDefault();
      };
      list.append(tab); return tab;
    });
    box.prepend(list);
    const open = () => panels.findIndex(panel => '#' + panel.id === location.hash);
    opened.push(() => { const at = open(); if (at >= 0) { show(at); panels[at].scrollIntoView() } });
    show(Math.max(0, open()));
  });
  addEventListener('hashchange', () => opened.forEach(open => open()));

  // A fragment inside a fold opens it.
  const unfold = () => { const fold = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)))?.closest('details'); if (fold) fold.open = true };
  addEventListener('hashchange', unfold); unfold();

  // Lists that are filtered while typing: the home page's and the list of clients. The forms still go to /search/.
  const filter = (input, items, after) => input.addEventListener('input', () => {
    const wanted = words(input.value);
    after(items.filter(item => !(item.hidden = !wanted.every(word => item.textContent.toLowerCase().includes(word)))), wanted.length > 0);
  });
  const count = byId('the_count'), query = byId('the_query'), list = byId('the_list');
  if (query && list) filter(query, all('li', list).concat(all('#the_languages li')), (left, asked) => {
    const clients = left.filter(item => list.contains(item)), links = clients.slice(0, 5).map(item => item.querySelector('a').cloneNode(true));
    if (asked) list.open = true;
    count.replaceChildren(...asked ? [clients.length === 1 ? '1 client:' : clients.length ? clients.length + ' clients:' : 'No client of that name; “Find” looks through features too.', ...links] : []);
  });
  const narrow = byId('the_filter');
  if (narrow) filter(narrow, all('.rows tbody tr'), (left, asked) => {
    all('.group').forEach(group => group.hidden = !group.querySelector('tbody tr:not([hidden])'));
    count.textContent = asked ? left.length + (left.length === 1 ? ' client' : ' clients') : '';
  });

  // Search: the index is asked for once; every word must occur, and titles count most.
  const found = byId('the_found');
  if (found) {
    let index;
    const search = async () => {
      const wanted = words(query.value);
      byId('the_everything').hidden = wanted.length > 0; found.hidden = !wanted.length;
      if (!wanted.length) { count.textContent = ''; return }
      index ??= fetch(found.dataset.index).then(answer => answer.json());
      let entries;
      try { entries = await index } catch { index = undefined; byId('the_everything').hidden = false; found.hidden = true; count.textContent = 'The search index could not be loaded; here is everything.'; return }
      const score = entry => {
        const title = entry.title.toLowerCase(), text = (title + ' ' + entry.text + ' ' + (entry.words || '') + ' ' + entry.kind).toLowerCase();
        return wanted.every(word => text.includes(word)) ? wanted.reduce((sum, word) => sum + (title === word ? 8 : title.startsWith(word) ? 4 : title.includes(word) ? 2 : 0), 1) : 0;
      };
      const hits = entries.map(entry => [score(entry), entry]).filter(hit => hit[0]).sort((a, b) => b[0] - a[0]);
      count.textContent = hits.length + (hits.length === 1 ? ' page' : ' pages') + (hits.length > 60 ? ', the first 60:' : '');
      found.replaceChildren(...hits.slice(0, 60).map(([, entry]) => make('li', {}, make('a', { href: entry.path, textContent: entry.title }), make('span', { textContent: entry.kind }), make('p', { textContent: entry.text }))));
      history.replaceState(null, '', '?q=' + encodeURIComponent(query.value));
    };
    query.value = new URLSearchParams(location.search).get('q') || '';
    query.addEventListener('input', search);
    if (query.value) search();
  }

  // Comparison: the address keeps the picked clients and the folded groups, and the axes can be swapped.
  const table = byId('the_swap') && document.querySelector('.matrix table');
  if (table) {
    const boxes = all('.picks input'), folds = all('.grp input', table), rows = all('tbody tr:not(.grp)', table);
    const asked = new URLSearchParams(location.search), list = name => asked.getAll(name).flatMap(value => value.split(',')).filter(Boolean);
    const clients = list('clients'), features = list('features');
    if (clients.length) boxes.forEach(box => box.checked = clients.includes(box.value));
    if (features.length) rows.forEach(row => row.hidden = !features.includes(row.dataset.id));
    const keep = () => {
      const on = boxes.filter(box => box.checked), shown = rows.filter(row => !row.hidden && row.closest('tbody').querySelector('.grp input').checked);
      const parts = [];
      if (on.length < boxes.length) parts.push('clients=' + on.map(box => box.value).join(','));
      if (shown.length < rows.length) parts.push('features=' + shown.map(row => row.dataset.id).join(','));
      history.replaceState(null, '', location.pathname + (parts.length ? '?' + parts.join('&') : ''));
    };
    [...boxes, ...folds].forEach(box => box.addEventListener('change', keep));
    const pick = wanted => { boxes.forEach((box, i) => box.checked = wanted(i)); keep() };
    byId('the_few').onclick = () => pick(i => i < 3);
    byId('the_all').onclick = () => { rows.forEach(row => row.hidden = false); folds.forEach(fold => fold.checked = true); pick(() => true) };
    const swap = byId('the_swap'), frame = table.parentElement, before = [...table.children];
    const cell = (from, scope) => { const th = make('th', { scope }); th.append(...[...from.childNodes].map(node => node.cloneNode(true))); return th };
    swap.onclick = () => {
      const swapped = !frame.classList.contains('swapped');
      frame.classList.toggle('swapped', swapped); swap.setAttribute('aria-pressed', swapped);
      [document.querySelector('.picker'), byId('the_few'), byId('the_all')].forEach(el => el.hidden = swapped);
      if (!swapped) return table.replaceChildren(...before);
      const shown = rows.filter(row => !row.hidden && row.closest('tbody').querySelector('.grp input').checked);
      const head = make('tr', {}, make('th', { scope: 'col', textContent: 'Client' }), ...shown.map(row => cell(row.cells[0], 'col')));
      const body = all('thead th', table).slice(1).map((column, i) => boxes[i].checked && make('tr', {}, cell(column, 'row'), ...shown.map(row => row.cells[i + 1].cloneNode(true)))).filter(Boolean);
      table.replaceChildren(table.caption, make('thead', {}, head), make('tbody', {}, ...body));
    };
  }
})();
