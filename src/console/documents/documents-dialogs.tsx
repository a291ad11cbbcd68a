/** The dialogs of a knowledge base's page, of which one is open at a time. */
import type { Document, KnowledgeBase } from '../../client/index.ts';
import { DeleteKnowledgeBaseDialog } from '../knowledge-bases/delete-dialog.tsx';
import { KnowledgeBaseForm } from '../knowledge-bases/knowledge-base-form.tsx';
import { SynonymsDialog } from '../knowledge-bases/synonyms-dialog.tsx';
import { AddressDialog } from './address-dialog.tsx';
import { AttributesDialog } from './attributes-dialog.tsx';
import { DeleteDocumentsDialog } from './delete-documents-dialog.tsx';
import type { DocumentList } from './document-list.ts';
import { PasteDialog } from './paste-dialog.tsx';

export type DialogName =
  | 'rename'
  | 'synonyms'
  | 'delete'
  | 'paste'
  | 'address'
  | 'attributes'
  | 'deleteDocuments';

export type OpenDialog = (name: DialogName) => void;

type DialogsProps = {
  open: DialogName | undefined;
  knowledgeBase: KnowledgeBase;
  list: DocumentList;
  /** The selected documents. */
  chosen: Document[];
  onDeleted(ids: ReadonlySet<string>): void;
  onClose(): void;
};

export function Dialogs({ open, knowledgeBase, list, chosen, onDeleted, onClose }: DialogsProps) {
  const ofKnowledgeBase = { knowledgeBase, onClose };
  const imports = { knowledgeBaseId: knowledgeBase.id, onImported: () => void list.refresh(), onClose };
  switch (open) {
    case 'rename':
      return <KnowledgeBaseForm {...ofKnowledgeBase} onSaved={() => void list.refresh()} />;
    case 'synonyms':
      return <SynonymsDialog {...ofKnowledgeBase} />;
    case 'delete':
      return <DeleteKnowledgeBaseDialog {...ofKnowledgeBase} />;
    case 'paste':
      return <PasteDialog {...imports} />;
    case 'address':
      return <AddressDialog {...imports} />;
    case 'attributes':
      return (
        <AttributesDialog
          knowledgeBaseId={knowledgeBase.id}
          documents={chosen}
          onChanged={list.replace}
          onClose={onClose}
        />
      );
    case 'deleteDocuments':
      return <DeleteDocumentsDialog documents={chosen} onDeleted={onDeleted} onClose={onClose} />;
    default:
      return null;
  }
}
