for (const place of document.querySelectorAll('.chart')) {
  const figure = JSON.parse(place.querySelector('script').textContent);
  const drawn = document.createElement('div');
  place.append(drawn);
  Plotly.newPlot(drawn, figure.data, figure.layout, {responsive: true, displayModeBar: false});
}
// Paper is narrower than a window, and charts do not adapt to it by themselves.
const fit = size => document.querySelectorAll('.js-plotly-plot').forEach(
  drawn => Plotly.relayout(drawn, size || {width: drawn.closest('.maps') ? 320 : 640}));
addEventListener('beforeprint', () => {
  document.querySelectorAll('details').forEach(d => { d.open = true; });
  fit();
});
addEventListener('afterprint', () => fit({width: null, autosize: true}));
