/** A long list of rows of one height, of which only those near the screen are in the page. The window scrolls it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Rows drawn above and below the screen: for the keyboard, and for fast scrolling. */
const OVERSCAN = 12;

type VirtualRowsProps<Row> = {
  rows: Row[];
  rowHeight: number;
  keyOf(row: Row): string;
  /** `index` begins at 0. */
  render(row: Row, index: number): ComponentChildren;
  /** Called when the end of the rows comes near the screen. */
  onEndNear(): void;
};

export function VirtualRows<Row>({ rows, rowHeight, keyOf, render, onEndNear }: VirtualRowsProps<Row>) {
  const list = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(0);
  const [shown, setShown] = useState(Math.ceil(innerHeight / rowHeight));
  useEffect(() => {
    const measure = () => {
      const above = -(list.current?.getBoundingClientRect().top ?? 0);
      setFirst(Math.max(0, Math.floor(above / rowHeight)));
      setShown(Math.ceil(innerHeight / rowHeight));
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [rowHeight]);
  const [from, to] = [Math.max(0, first - OVERSCAN), first + shown + OVERSCAN];
  useEffect(() => {
    if (to >= rows.length) onEndNear();
  }, [to, rows.length]);
  return (
    <div ref={list} role="rowgroup" class="virtual-rows" style={{ height: `${rows.length * rowHeight}px` }}>
      {rows.slice(from, to).map((row, index) => (
        <div
          key={keyOf(row)}
          role="row"
          // The header is the first row.
          aria-rowindex={from + index + 2}
          class="virtual-row"
          style={{ height: `${rowHeight}px`, transform: `translateY(${(from + index) * rowHeight}px)` }}
        >
          {render(row, from + index)}
        </div>
      ))}
    </div>
  );
}
