// Files that stay chosen when a page of the server takes the place of the form.

/** The files that are chosen in a form, by the names of its fields. */
export function chosenFiles(form) {
  const fields = [...form.querySelectorAll("input[type=file]")];
  return new Map(fields.map(({ name, files }) => [name, [...files]]));
}

/** Chooses files in the first field of each name below `root`; their modules are not told. */
export function chooseFiles(root, files) {
  for (const [name, list] of files) {
    const field = root.querySelector(`input[type=file][name="${name}"]`);
    if (field && list.length) field.files = fileList(list);
  }
}

/** Files as a field takes them. */
export function fileList(files) {
  const chosen = new DataTransfer();
  for (const file of files) chosen.items.add(file);
  return chosen.files;
}
