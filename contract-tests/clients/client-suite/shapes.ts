/** The forms of the answers, as vitest's matchers: the fields that a client may rely on, of the types that it was told. */
import { expect } from 'vitest';
import type {
  Balance,
  Document,
  DocumentStatusReport,
  KnowledgeBase,
  Passage,
  PassageLocation,
  SearchResult,
  UploadTicket,
  Usage,
} from '../../../generated/types.gen.ts';

/** Exactly the fields that the generated type promises. */
type Shape<Resource> = {
  [Field in keyof Resource as undefined extends Resource[Field] ? never : Field]-?: unknown;
};

const text = expect.any(String);
const filled = expect.stringMatching(/./s);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const whole = expect.toSatisfy((value) => Number.isSafeInteger(value) && value >= 0, 'a whole number from 0');
const positive = expect.toSatisfy(
  (value) => Number.isSafeInteger(value) && value >= 1,
  'a whole number from 1',
);
const share = expect.toSatisfy(
  (value) => typeof value === 'number' && value >= 0 && value <= 1,
  'within [0, 1]',
);
const texts = expect.toSatisfy(
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  'a list of texts',
);
const address = expect.stringMatching(/^https?:\/\/\S+$/);
const status = expect.stringMatching(/^(pending|processing|processed|failed|timeout)$/);
const type = expect.stringMatching(
  /^(pdf|docx|pptx|xlsx|xls|html|txt|csv|xml|md|json|odt|odp|ods|rtf|epub|text|unknown)$/,
);

export const knowledgeBaseShape: Shape<KnowledgeBase> = {
  id: expect.stringMatching(/^.{36}$/su),
  name: filled,
  description: text,
  createdAt: time,
  updatedAt: time,
};

export const documentShape: Shape<Document> = {
  id: expect.stringMatching(/^.{1,128}$/su),
  title: filled,
  type,
  size: positive,
  status,
  createdAt: time,
};

export const statusShape: Shape<DocumentStatusReport> = { id: filled, status };

const locationShape: Shape<PassageLocation> = {
  passage: positive,
  headings: texts,
  start: whole,
  end: positive,
};

export const passageShape: Shape<Passage> = {
  id: filled,
  content: filled,
  language: expect.stringMatching(/^[a-z_]+$/),
  location: expect.objectContaining(locationShape),
};

export const resultShape: Shape<SearchResult> = {
  id: filled,
  score: share,
  document_id: filled,
  knowledge_base_id: filled,
  title: filled,
  type,
  content: filled,
  metadata: expect.objectContaining({ source: filled, annotations: filled }),
};

export const ticketShape: Shape<UploadTicket> = {
  fileId: expect.stringMatching(/^.{1,128}$/su),
  uploadUrl: address,
  expiresAt: time,
  method: 'PUT',
  headers: expect.any(Object),
};

export const usageShape: Shape<Usage> = { knowledgeBaseCount: whole, storageUsed: whole };
export const balanceShape: Shape<Balance> = { balance: whole };
