// SPDX-License-Identifier: Apache-2.0
// Runs before the first paint, and applies the theme that the visitor chose earlier.
try {
  const theme = localStorage.getItem('theme');
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden. The page then uses the system's scheme.
}
