// SPDX-License-Identifier: Apache-2.0
// Loaded before the first paint: the theme that was chosen here earlier, if any.
try {
  const theme = localStorage.getItem('theme');
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden: the system's scheme it is.
}
