// Which posts a list has. Neighbours that the user has reported are folded into one of its elements.

/** The identifiers of the post in an element of a list, or of the posts that are folded into it. */
export function postIDs(element) {
  const parts = [element, ...element.querySelectorAll("[data-id]")];
  return parts.map(({ dataset }) => dataset.id).filter(Boolean);
}

/** The identifiers of all posts in a list. */
export function listedIDs(list) {
  return new Set([...list.children].flatMap(postIDs));
}
