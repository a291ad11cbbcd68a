/** Makes a document of the file or page at an address, which the service fetches. */
import { useState } from 'preact/hooks';
import { announce } from '../parts/announcements.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { TextField } from '../parts/fields/text-field.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';

type AddressDialogProps = { knowledgeBaseId: string; onClose(): void; onImported(): void };

/** An address as people copy it: without the place in the page, which the service would refuse. */
const toUrl = (text: string): string => text.trim().replace(/#.*$/s, '');

export function AddressDialog({ knowledgeBaseId, onClose, onImported }: AddressDialogProps) {
  const { service } = useSession();
  const [address, setAddress] = useState('');
  const url = toUrl(address);
  const save = useAction(async () => {
    const document = await service.importUrl({ knowledgeBaseId, url });
    announce(`${document.title} will be fetched.`);
    onImported();
    onClose();
  });
  return (
    <DialogForm
      title="Import from an address"
      action={save}
      failure="The address was not imported."
      submit="Import"
      isIncomplete={url === ''}
      onClose={onClose}
    >
      <TextField
        label="Address of a file or page"
        hint="The service fetches it once, and follows no links. Import it again to get its next version."
        isAddress
        required
        autofocus
        maxLength={2048}
        placeholder="https://…"
        value={address}
        onChange={setAddress}
      />
    </DialogForm>
  );
}
