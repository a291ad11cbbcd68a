/**
 * Puts the ids of resources that the visitor has created on this page into the examples. So the examples can be sent as
 * they are.
 */

/**
 * For each operation that creates a resource: the field that holds its id in other operations, and the field of the
 * answer with its id.
 */
const MADE = {
  createKnowledgeBase: { field: 'knowledgeBaseId', from: 'id' },
  importTextContent: { field: 'documentId', from: 'id' },
  // Not importUrl: its document has no file until that has been fetched.
  importFile: { field: 'documentId', from: 'id' },
  uploadFile: { field: 'documentId', from: 'id' },
  presignUploadUrl: { field: 'fileId', from: 'fileId' },
  createWebhook: { field: 'webhookId', from: 'id' },
};

const DELETED = ['deleteKnowledgeBase', 'deleteDocument', 'deleteWebhook'];

/**
 * Adds the id in an answer to `ids`, which holds the ids by field, the newest last. Ids from lists are not added: no
 * example should delete a resource that the visitor did not create here.
 * @returns whether anything has changed
 */
export function noteAnswer(ids, { url, ok, text }) {
  const operationId = new URL(url).pathname.split('/').at(-1);
  if (!ok) return false;
  const made = MADE[operationId];
  if (made) ids[made.field].push(JSON.parse(text).data[made.from]);
  if (DELETED.includes(operationId)) forget(ids, JSON.parse(text).data.id);
  return made !== undefined || DELETED.includes(operationId);
}

/** Removes a deleted id, and those of its documents and files, which begin with the knowledge base's id. */
function forget(ids, deleted) {
  for (const [field, known] of Object.entries(ids)) {
    ids[field] = known.filter((id) => id !== deleted && !id.startsWith(`${deleted}_`));
  }
}

/** The newest id of a field, or else the id of the example. */
const newest = (ids, field, example) => ids[field]?.at(-1) ?? example;

function fillBody(ids, body) {
  for (const field of Object.keys(ids)) if (field in body) body[field] = newest(ids, field, body[field]);
  if (body.knowledgeBaseIds)
    body.knowledgeBaseIds = [newest(ids, 'knowledgeBaseId', body.knowledgeBaseIds[0])];
}

/** A copy of the spec whose examples hold these ids. */
export function withOwnIds(spec, ids) {
  const filled = structuredClone(spec);
  for (const operation of Object.values(filled.paths).flatMap((methods) => Object.values(methods))) {
    const examples = operation.requestBody?.content['application/json']?.examples ?? {};
    for (const { value } of Object.values(examples)) fillBody(ids, value);
  }
  for (const parameter of Object.values(filled.components.parameters)) {
    if (parameter.name in ids) parameter.example = newest(ids, parameter.name, parameter.example);
  }
  return filled;
}
