// Where the discs of a layered picture stand, and the texts along its lines. Pure functions.

// Where each node goes in a box { left, right, top, bottom }, how wide it may be; folded: by side, label and parents.
export function arrange(picture, box, form, code) {
  const { nodes, depth } = picture, wide = box.right - box.left;
  const step = depth ? Math.min((box.bottom - box.top) / depth, 150) : 0;
  const spots = nodes.map((node) => ({ x: 0, y: box.top + node.level * step, gap: wide }));
  if (form === "tree") {
    const below = nodes.map(() => []);
    picture.lines.forEach((line) => below[line.from].push(line.to));
    let slot = -1, last = -1;
    const place = (i, parent) => {
      if (below[i].length) {
        below[i].forEach((j) => place(j, i));
        spots[i].x = (spots[below[i][0]].x + spots[below[i].at(-1)].x) / 2;
      } else {
        slot += last < 0 || parent === last ? 1 : 1.3;
        last = parent;
        spots[i].x = slot;
      }
    };
    picture.roots.forEach((i, k) => { if (k) { slot += 0.7; last = -2; } place(i, -2 - k); });
    const unit = Math.min(wide / (slot + 1), 84), shift = box.left + (wide - unit * slot) / 2;
    spots.forEach((spot) => { spot.x = shift + spot.x * unit; });
    for (let level = 0; level <= depth; level++) { // the upper levels have room for larger discs
      const here = spots.filter((_, i) => nodes[i].level === level).sort((a, b) => a.x - b.x);
      const gap = Math.min(84, ...here.slice(1).map((spot, k) => spot.x - here[k].x));
      here.forEach((spot) => { spot.gap = gap; });
    }
    return spots;
  }
  const group = (node) => (node.more ? 4 : node.side === 3 ? 1 : node.side === 1 ? 0 : 2);
  const sum = nodes.map(() => [0, 0]);
  for (let level = 0; level <= depth; level++) {
    const here = nodes.map((_, i) => i).filter((i) => nodes[i].level === level);
    const mean = (i) => (sum[i][1] ? sum[i][0] / sum[i][1] : i);
    here.sort((i, j) => group(nodes[i]) - group(nodes[j]) || code(nodes[i]) - code(nodes[j]) || mean(i) - mean(j) || i - j);
    here.forEach((i, k) => { spots[i].gap = wide / here.length; spots[i].x = box.left + (k + 0.5) * spots[i].gap; });
    for (const line of picture.lines) {
      if (nodes[line.from].level !== level) continue;
      sum[line.to][0] += spots[line.from].x;
      sum[line.to][1]++;
    }
  }
  return spots;
}

export const apart = (a, b) => a[2] <= b[0] || a[0] >= b[2] || a[3] <= b[1] || a[1] >= b[3]; // boxes: left, top, right, bottom

// The first free place for a small text along a line, of width w, clear of all boxes; null if there is none.
export function spotAlong(a, b, bend, w, boxes) {
  for (const t of [0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73]) {
    const [x, y] = along(a, b, bend, t), box = [x - w / 2 - 1, y - 7, x + w / 2 + 1, y + 7];
    if (boxes.every((o) => apart(box, o))) return { x, y, box };
  }
  return null;
}

// A point of the curve from a to b that bends sideways: lines of several hops are bent, so that they can be told apart.
export function along(a, b, bend, t) {
  const cx = (a.x + b.x) / 2 + bend, cy = (a.y + b.y) / 2, s = 1 - t;
  return [s * s * a.x + 2 * s * t * cx + t * t * b.x, s * s * a.y + 2 * s * t * cy + t * t * b.y];
}

