import { type ComponentProps, useRef } from 'react';
import { Button } from './button.js';

/** What the relay reads of a file, in bytes. */
export const MAX_FILE_BYTES = 5 * 1_024 * 1_024;

/** A button that opens the browser's choice of a CSV file. @param onFile is also called when the same file is chosen again */
export function ChooseFile({
  onFile,
  children,
  ...button
}: Pick<ComponentProps<typeof Button>, 'kind' | 'busy' | 'children'> & { readonly onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="row">
      <Button {...button} icon="list" onClick={() => input.current?.click()}>
        {children}
      </Button>
      {/* the button stands for it */}
      <input
        ref={input}
        type="file"
        accept=".csv,.txt,text/csv,text/plain"
        hidden
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file) onFile(file);
          // the same file again is a change too
          target.value = '';
        }}
      />
    </div>
  );
}
