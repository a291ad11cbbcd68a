/** Where one id is all that an operation needs, callers may pass it bare. */

/** Makes a function that returns the input of an operation, whether its caller has passed that or the bare id. */
const acceptBare =
  <Name extends string>(name: Name) =>
  <Input extends Record<Name, string>>(given: Input | string): Input =>
    typeof given === 'string' ? ({ [name]: given } as Input) : given; // all other fields of these inputs are optional

export const toKnowledgeBaseInput = acceptBare('knowledgeBaseId');
export const toDocumentInput = acceptBare('documentId');
export const toFileInput = acceptBare('fileId');
export const toWebhookInput = acceptBare('webhookId');
