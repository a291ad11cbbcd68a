/** Numbers the edges of cells, from which the columns and rows that a cell covers follow. */

/**
 * The number of an edge in the order of all edges of a table. Edges within `tolerance` of each other are one, since
 * programs round them.
 */
export function edgeNumbers(edges: number[], tolerance: number): (edge: number) => number {
  const numbers = new Map<number, number>();
  let count = -1;
  let first = Number.NEGATIVE_INFINITY;
  for (const edge of edges.toSorted((a, b) => a - b)) {
    if (edge - first > tolerance) {
      count++;
      first = edge;
    }
    numbers.set(edge, count);
  }
  return (edge) => numbers.get(edge) ?? 0;
}
