/** Works on many elements, several at a time. */

async function* enumerate<Element>(
  elements: Iterable<Element> | AsyncIterable<Element>,
): AsyncGenerator<[element: Element, index: number]> {
  let index = 0;
  for await (const element of elements) yield [element, index++];
}

/**
 * Runs `act` on every element in order, `most` of them at a time. An async iterable is read as the work proceeds. Ends
 * after the first failure, when the elements in work have ended.
 * @throws the first failure
 */
export async function inParallel<Element>(
  elements: Iterable<Element> | AsyncIterable<Element>,
  most: number,
  act: (element: Element, index: number) => Promise<void>,
): Promise<void> {
  const rest = enumerate(elements);
  const failures: unknown[] = [];
  const work = async () => {
    try {
      while (failures.length === 0) {
        const next = await rest.next();
        if (next.done) return;
        await act(...next.value);
      }
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(Array.from({ length: most }, work));
  await rest.return(undefined);
  if (failures.length > 0) throw failures[0];
}
