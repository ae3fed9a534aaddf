// Finds boxes around connected regions in a map of probabilities.

/**
 * Returns the boxes [left, top, right, bottom] of connected regions above 0.3.
 * The boxes are sorted from top to bottom.
 * @param {Float32Array} map probabilities, row by row
 * @param {number} width
 * @param {number} height
 */
export function regions(map, width, height) {
  const seen = new Uint8Array(map.length);
  const boxes = [];
  for (let start = 0; start < map.length; start++) {
    if (seen[start] || map[start] < 0.3) continue;
    const box = [width, height, 0, 0];
    for (const open = [start]; open.length > 0; ) {
      const at = open.pop();
      if (seen[at] || map[at] < 0.3) continue;
      seen[at] = 1;
      const [x, y] = [at % width, Math.floor(at / width)];
      [box[0], box[1]] = [Math.min(box[0], x), Math.min(box[1], y)];
      [box[2], box[3]] = [Math.max(box[2], x + 1), Math.max(box[3], y + 1)];
      if (x > 0) open.push(at - 1);
      if (x < width - 1) open.push(at + 1);
      if (y > 0) open.push(at - width);
      if (y < height - 1) open.push(at + width);
    }
    if (box[2] - box[0] > 5 && box[3] - box[1] > 3) boxes.push(box);
  }
  return boxes.sort((a, b) => a[1] - b[1]);
}
