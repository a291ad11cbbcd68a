/** Finds the argument that a model has meant. Models take names from other tools that they know. */
import { nearestName } from '../../analysis/edits/near-name.ts';

/**
 * Names of other search tools, in lower case and without separators, with ours: the first that the tool has is meant.
 */
const MEANT: [RegExp, string[]][] = [
  [/^(q|text|question|search|searchquery|prompt|keywords?|terms?|input|phrase)$/, ['query', 'content']],
  [/^(k|n|topk|topn|top|size|count|max\w*|num\w*|pagesize|perpage|first)$/, ['limit']],
  [
    new RegExp(
      '^(kbs?|kb(id|name)s?|collections?(name|ids?)?|ind(ex|exes|ices)|namespaces?|spaces?|bases?' +
        '|libraries|library|folders?)$',
    ),
    ['knowledgeBaseIds', 'knowledgeBaseId'],
  ],
  [
    /^(id|ids|docs?(ids?)?|documents?|files?|fileids?|ur[il]|resource)$/,
    ['documentId', 'documentIds', 'sourceUrl'],
  ],
  [/^(where|conditions?|metadata|meta|attrs?|attributes?|facets?|filters?|tags)$/, ['filter', 'attributes']],
  [/^(page|pagetoken|continuationtoken|after|next\w*)$/, ['cursor', 'offset']],
  [/^(start|skip|from|position)$/, ['offset', 'cursor']],
  [/^(length|end|maxcharacters|maxlength|budget|tokens?)$/, ['limit', 'maxTokens']],
  [/^(body|markdown|note|value|data)$/, ['content']],
  [/^(name|heading|subject|titles?)$/, ['title', 'titleContains']],
  [/^(source|link|href)$/, ['sourceUrl']],
  [/^(context|neighbou?rs|window|surrounding)$/, ['contextPassages']],
  [/^(type|method|searchtype|searchmode)$/, ['mode']],
];

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Letters from which on the beginning of a name stands for it. */
const BEGINNING_MIN = 4;

/**
 * The one of `names` that `written` stands for; undefined: none is near.
 * `knowledge_bases`, `kb` → `knowledgeBaseIds`, `top_k` → `limit`
 */
export function nearestArgument(written: string, names: string[]): string | undefined {
  const letters = lettersOf(written).slice(0, 100);
  const isBeginning = (name: string) =>
    letters.length >= BEGINNING_MIN && lettersOf(name).startsWith(letters);
  const [, meant = []] = MEANT.find(([pattern]) => pattern.test(letters)) ?? [];
  return nearestName(written, names) ?? names.find(isBeginning) ?? meant.find((name) => names.includes(name));
}
