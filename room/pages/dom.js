// Elements, made and changed without markup: all that a clock says is text.

/** Return a new element; children are elements or texts. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Return an element for a text of a clock, isolated from the direction of the texts around it. */
export function foreign(text = "", attributes = {}) {
  return element("bdi", attributes, text);
}

/** Return a cell; its role is named because a table that is shown as lines loses it. */
export function cell(style, content) {
  return element("td", { class: style, role: "cell" }, content);
}

/** Set an element's text, if it is another one. */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** Set an attribute, if it has another value. */
export function setAttribute(target, name, value) {
  if (target.getAttribute(name) !== value) target.setAttribute(name, value);
}

/** Set how much of a bar is filled, 0 to 1000, without a new layout. */
export function setScale(bar, permille) {
  const scale = `${permille / 1000} 1`;
  if (bar.style.scale !== scale) bar.style.scale = scale;
}

/** Return the element with an id, which must be there. */
export function byId(id) {
  return document.getElementById(id);
}

/** Return the part after the last "/" of this page's address: a board's id or a match's name. */
export function idOfPage() {
  return decodeURIComponent(location.pathname.split("/").pop());
}
