// Pages made for nobody: in the colours that the person chose.
import { isShell, lastTheme } from "./memory.js";

export async function dressShell() {
  if (!isShell()) return;
  try {
    const theme = await lastTheme();
    if (theme) document.documentElement.dataset.theme = theme;
  } catch {
    // As the system has it.
  }
}
