/** Keeps events to pass them on later: of what a document shows on many pages, each text once. */
import type { Attributes } from '../markup/markup-tokens.ts';

/** The events that the HTML renderer takes while a file is read. */
export type RenderedEvents = {
  open(name: string, attributes?: Attributes): void;
  close(name: string): void;
  text(text: string): void;
};

export type RecordedEvents = {
  /** Takes the events. */
  events: RenderedEvents;
  text(): string;
  replay(target: RenderedEvents): void;
};

export function recordedEvents(): RecordedEvents {
  const recorded: ((target: RenderedEvents) => void)[] = [];
  const texts: string[] = [];
  return {
    events: {
      open(name, attributes) {
        recorded.push((target) => target.open(name, attributes));
      },
      close(name) {
        recorded.push((target) => target.close(name));
      },
      text(text) {
        texts.push(text);
        recorded.push((target) => target.text(text));
      },
    },
    text: () => texts.join(''),
    replay(target) {
      for (const event of recorded) event(target);
    },
  };
}

export type RepeatedBlocks = {
  /** Begins a block, which takes events until it is ended. One with the same text as an earlier one is dropped. */
  begin(): { events: RenderedEvents; end(): void };
  /** Writes the blocks, each as paragraphs of their own. */
  writeTo(target: RenderedEvents): void;
};

/** Running headers and footers. */
export function repeatedBlocks(): RepeatedBlocks {
  const blocks = new Map<string, RecordedEvents>();
  return {
    begin() {
      const block = recordedEvents();
      const end = () => {
        const text = block.text().replace(/\s+/g, ' ').trim();
        if (text !== '' && !blocks.has(text)) blocks.set(text, block);
      };
      return { events: block.events, end };
    },
    writeTo(target) {
      for (const { replay } of blocks.values()) {
        target.open('div');
        replay(target);
        target.close('div');
      }
    },
  };
}
