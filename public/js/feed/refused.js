// What the server did with the pictures of a post that it refused.

const TAKEN = "[data-kept] [name=kept], [data-uploaded] [name^=image_id]";
// The texts of every page have an attribute of this name, too.
const NOT_VALID = "[data-composer] [data-failed]";

/**
 * Whether the server has looked at the files of a form that was sent with `fields`: its page then has
 * those that are valid and names the others. Pictures that the form had before do not count.
 */
export function hasTakenPictures(page, fields) {
  const sent = new Set(fields.values());
  const isNew = ({ value }) => !sent.has(value);
  return Boolean(page.querySelector(NOT_VALID)) || [...page.querySelectorAll(TAKEN)].some(isNew);
}
