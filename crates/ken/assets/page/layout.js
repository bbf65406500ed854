// Places for notes that are linked: pure, so that the same links lie in the same way.

/** @typedef {{ path: string, label: string, x: number, y: number, vx: number, vy: number, kind: string, isOpen: boolean }} Spot */
/** @typedef {{ from: number, to: number, kind: string, label: string }} Edge */

const ROUNDS = 240;

/** Lets notes push each other away and links draw them together, until they rest. @param {Spot[]} nodes @param {Edge[]} edges */
export function settle(nodes, edges) {
  const wanted = Math.min(0.32, 0.14 + nodes.length * 0.004) * (nodes.length > 40 ? 0.7 : 1);
  const force = 0.0006 * Math.min(1, 30 / nodes.length);
  for (let round = 0; round < ROUNDS; round++) {
    const heat = 1 - round / ROUNDS;
    push(nodes, force);
    for (const { from, to } of edges) {
      const [dx, dy] = [nodes[to].x - nodes[from].x, nodes[to].y - nodes[from].y];
      const length = Math.max(1e-3, Math.hypot(dx, dy));
      const pull = ((length - (from === 0 ? wanted : wanted * 0.5)) / length) * 0.08;
      nodes[to].vx -= dx * pull; nodes[to].vy -= dy * pull;
      nodes[from].vx += dx * pull; nodes[from].vy += dy * pull;
    }
    for (const node of nodes) {
      node.x += Math.max(-0.05, Math.min(0.05, node.vx * heat));
      node.y += Math.max(-0.05, Math.min(0.05, node.vy * heat));
      node.vx *= 0.6; node.vy *= 0.6;
    }
    // The note itself stays in the middle.
    const [mx, my] = [nodes[0].x - 0.5, nodes[0].y - 0.5];
    for (const node of nodes) [node.x, node.y] = [node.x - mx, node.y - my];
  }
  fit(nodes);
}

/** @param {Spot[]} nodes @param {number} force */
function push(nodes, force) {
  for (let a = 0; a < nodes.length; a++) {
    for (let b = a + 1; b < nodes.length; b++) {
      const [dx, dy] = [nodes[a].x - nodes[b].x, nodes[a].y - nodes[b].y];
      const away = force / Math.max(1e-4, dx * dx + dy * dy);
      nodes[a].vx += dx * away; nodes[a].vy += dy * away;
      nodes[b].vx -= dx * away; nodes[b].vy -= dy * away;
    }
  }
}

/** Draws everything together where it would lie outside of what is seen. @param {Spot[]} nodes */
function fit(nodes) {
  const most = Math.max(...nodes.map(({ x, y }) => Math.max(Math.abs(x - 0.5), Math.abs(y - 0.5))));
  if (most <= 0.48) return;
  for (const node of nodes) [node.x, node.y] = [0.5 + ((node.x - 0.5) * 0.48) / most, 0.5 + ((node.y - 0.5) * 0.48) / most];
}

/** Returns what a note is called by its path; an index by its folder. @param {string} path */
export function stem(path) {
  const parts = path.split("/");
  const name = (parts.at(-1) ?? path).replace(/\.[^.]+$/u, "");
  return /^(index|readme)$/iu.test(name) ? (parts.at(-2) ?? name) : name;
}

/** @param {string} text @param {number} most */
export function cut(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
