/** What the style sheet says, written into the picture: a file has no style sheet. */
const properties = [
  'fill',
  'stroke',
  'stroke-width',
  'paint-order',
  'opacity',
  'font-size',
  'font-family',
  'display',
] as const;

/** Saves a drawing as a file that any viewer shows alike. */
export function saveSvg(drawing: SVGSVGElement, fileName: string): void {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const originals = drawing.querySelectorAll<SVGElement>('*');
  for (const [i, element] of [...copy.querySelectorAll<SVGElement>('*')].entries()) {
    const original = originals[i];
    if (!original) continue;
    const style = getComputedStyle(original);
    for (const property of properties) element.setAttribute(property, style.getPropertyValue(property));
    for (const name of ['tabindex', 'role', 'class']) element.removeAttribute(name);
  }
  const back = getComputedStyle(document.body);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(drawing.viewBox.baseVal.width));
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const { x, y, width, height } = drawing.viewBox.baseVal;
  for (const [name, value] of Object.entries({ x, y, width, height, fill: back.backgroundColor }))
    ground.setAttribute(name, String(value));
  copy.prepend(ground);
  const text = new XMLSerializer().serializeToString(copy);
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
