// the files that docs/terminals.md shows and a test runs
import node from '../../../tools/examples/sale.mjs?raw';
import shell from '../../../tools/examples/sale.sh?raw';
import token from '../../../tools/examples/sale-token.sh?raw';
import { Copyable } from '../design/copy.js';
import type { NewSenderKey } from './keys-api.js';
import { useTexts } from './texts.js';

/** Commands that send a test sale with a new key, for a shell: all is filled in but the secret. */
export default function Examples({ made, isPlatform }: { readonly made: NewSenderKey; readonly isPlatform: boolean }) {
  const { example: texts } = useTexts();
  const secret = `${made.kind === 'TOKEN' ? 'TOKEN' : 'SECRET'}='${texts.paste[made.kind]}'`;
  const settings = [
    `export RELAY_URL=${location.origin}`,
    ...(made.kind === 'TOKEN' ? [] : [`KEY_ID=${made.keyId}`]),
    ...(isPlatform ? [`STORE_CODE='${texts.store}'`] : []),
    secret,
  ].join(' ');
  const command = (runtime: string, file: string) => `${settings}\n${runtime} <<'END'\n${file}END`;
  const commands =
    made.kind === 'TOKEN'
      ? [[texts.curl, command('sh -s', token)] as const]
      : [
          [texts.curl, command('sh -s', shell)] as const,
          [texts.node, command('node --input-type=module', node)] as const,
        ];
  return (
    <div className="key-examples">
      {commands.map(([name, text]) => (
        <details key={name} className="add-key">
          <summary>{name}</summary>
          <p className="fine">{texts.help}</p>
          <Copyable text={text} />
        </details>
      ))}
    </div>
  );
}
