/** What is known of models by their names: the words that they want before a query and a passage, and their numbers. */

/**
 * `query`, `passage`: put before the text, as the model's authors say on its page. `dimensions`: the numbers that it
 * makes by itself; undefined: by its size, or not known.
 */
export type KnownModel = { query: string; passage: string; dimensions?: number };

const SENTENCE = 'Represent this sentence for searching relevant passages: ';
const TASK = 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ';

const plain = (dimensions?: number): KnownModel => ({
  query: '',
  passage: '',
  ...(dimensions && { dimensions }),
});
/** Without a space at its end, as Qwen3's own examples have it. */
const qwen3 = (dimensions?: number): KnownModel => ({ ...plain(dimensions), query: TASK.trimEnd() });
const withTask = (dimensions?: number): KnownModel => ({ ...plain(dimensions), query: TASK });
const withSentence = (dimensions?: number): KnownModel => ({ ...plain(dimensions), query: SENTENCE });
const e5 = (dimensions: number): KnownModel => ({ query: 'query: ', passage: 'passage: ', dimensions });

/**
 * The first that matches counts. Names are compared as `nameOf` makes them, because each server has its own spelling:
 * `BAAI/bge-small-en-v1.5`, `bge-small-en-v1.5-q8_0.gguf`, `text-embedding-bge-small-en-v1.5`, `bge-small:latest`.
 */
const MODELS: readonly (readonly [name: RegExp, model: KnownModel])[] = [
  [/e5-mistral/, withTask(4096)],
  [/e5-large-instruct/, withTask(1024)],
  [/\be5-small/, e5(384)],
  [/\be5-base/, e5(768)],
  [/\be5-large/, e5(1024)],
  [/bge-m3/, plain(1024)],
  [/bge-small-zh/, { query: '为这个句子生成表示以用于检索相关文章：', passage: '', dimensions: 512 }],
  [/bge-base-zh/, { query: '为这个句子生成表示以用于检索相关文章：', passage: '', dimensions: 768 }],
  [/bge-large-zh/, { query: '为这个句子生成表示以用于检索相关文章：', passage: '', dimensions: 1024 }],
  [/bge-small/, withSentence(384)],
  [/bge-base/, withSentence(768)],
  [/bge-large/, withSentence(1024)],
  [/nomic-embed-text/, { query: 'search_query: ', passage: 'search_document: ', dimensions: 768 }],
  [/mxbai-embed-large|uae-large/, withSentence(1024)],
  [/mxbai-embed-xsmall/, withSentence(384)],
  [/arctic-embed-?(m|l)-v2|arctic-embed2/, { query: 'query: ', passage: '' }],
  [/arctic-embed/, withSentence()],
  [
    /embeddinggemma/,
    { query: 'task: search result | query: ', passage: 'title: none | text: ', dimensions: 768 },
  ],
  [/qwen3-embedding-?0\.6b/, qwen3(1024)],
  [/qwen3-embedding-?4b/, qwen3(2560)],
  [/qwen3-embedding-?8b/, qwen3(4096)],
  [/qwen3-embedding/, qwen3()],
  [/gte-qwen|sfr-embedding|linq-embed|stella_en/, withTask()],
  [/text-embedding-3-small|text-embedding-ada-002/, plain(1536)],
  [/text-embedding-3-large/, plain(3072)],
  [/all-minilm-l(6|12)|paraphrase-multilingual-minilm|multi-qa-minilm/, plain(384)],
  [/all-mpnet-base|paraphrase-multilingual-mpnet|multi-qa-mpnet/, plain(768)],
];

/** `intfloat/Multilingual-E5-small:latest` → `multilingual-e5-small-latest` */
const nameOf = (model: string): string =>
  (model.split('/').at(-1) ?? '').toLowerCase().replaceAll(/[:\s]+/g, '-');

/** undefined: the name is not known. Then no words are put before texts, unless the settings have some. */
export function findKnownModel(model: string): KnownModel | undefined {
  const name = nameOf(model);
  return MODELS.find(([pattern]) => pattern.test(name))?.[1];
}
