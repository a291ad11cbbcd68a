/**
 * nDCG@10 of BM25 on the open collections, by an implementation that agrees with Lucene's:
 * k1 0.9, b 0.4, title and text in one field.
 * English: Porter and stop words; other languages: Snowball, or character bigrams.
 */
export const REFERENCE_NDCG10: Record<string, number> = {
  scifact: 0.6789,
  cranfield: 0.3573,
  pubmedqa: 0.9869,
  'msmarco-sub': 0.7097,
  'financebench-a': 0.1639,
  cacm: 0.4801,
  checkthat20: 0.9062,
  'xquad-en': 0.9653,
  'xquad-de': 0.9406,
  'xquad-ru': 0.9533,
  'xquad-ar': 0.9356,
  'xquad-hi': 0.9546,
  'xquad-zh': 0.9666,
  'xquad-th': 0.8831,
  'drcd-dev': 0.9703,
  'cmrc-trial': 0.9862,
  'jsquad-valid': 0.9411,
  'korquad-a': 0.9557,
  'drcd-dev-articles': 0.9776,
};
