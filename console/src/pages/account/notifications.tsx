import { useState } from 'react';
import { Button } from '../../design/button.js';
import { Answer, ErrorText } from '../../design/feedback.js';
import { Field, SelectField } from '../../design/field.js';
import { Icon } from '../../design/icons.js';
import { Outcome } from '../../design/outcome.js';
import { Panel } from '../../design/page.js';
import { setQuery, usePlace } from '../../router/location.js';
import { whyNoPush } from '../../session/push.js';
import { useHas } from '../../session/session.js';
import { Devices } from './devices.js';
import {
  type Notifications,
  useConfirm,
  useDevices,
  useNotifications,
  useSave,
  useTest,
  useThisDevice,
} from './notification-queries.js';
import { useTexts } from './texts.js';

/** How the user is notified of alerts: on this phone, by mail, and when not. */
export function NotificationsPanel() {
  const { notifications: texts } = useTexts();
  const settings = useNotifications();
  return (
    <Panel title={texts.title}>
      <p className="fine">{texts.intro}</p>
      <Confirmation />
      <Answer query={settings} lines={4}>
        {(data) => (
          <div className="stack">
            <ThisDevice channel={data.channels.push} />
            <ByMail channel={data.channels.mail} />
            <Preferences key={JSON.stringify(data)} settings={data} />
          </div>
        )}
      </Answer>
    </Panel>
  );
}

/** After the link of a test message: only the button confirms, because programs open links too. */
function Confirmation() {
  const { notifications: texts } = useTexts();
  const { fragment, query } = usePlace();
  // messages of earlier versions have it in the query
  const token = fragment.get('confirm') ?? query.get('confirm');
  const confirming = useConfirm();
  if (confirming.isSuccess) return <Outcome done={texts.confirmed} error={null} />;
  if (token === null) return null;
  return (
    <div className="stack">
      <p>{texts.confirmHelp}</p>
      {confirming.error && <ErrorText error={confirming.error} />}
      <div className="row">
        <Button
          kind="primary"
          icon="check"
          busy={confirming.isPending}
          onClick={() => confirming.mutate(token, { onSuccess: () => setQuery({ confirm: undefined }) })}
        >
          {texts.confirm}
        </Button>
      </div>
    </div>
  );
}

function ThisDevice({ channel }: { readonly channel: Notifications['channels']['push'] }) {
  const { notifications: texts } = useTexts();
  const devices = useDevices();
  const subscribing = useThisDevice();
  const why = channel.available ? whyNoPush() : 'unavailable';
  const { publicKey } = channel;
  return (
    <section className="stack">
      <h3>{texts.thisDevice}</h3>
      {why !== null || publicKey === null ? (
        <p className="quiet">{texts.noPush[why ?? 'unavailable']}</p>
      ) : (
        <div className="row">
          <Button kind="primary" icon="bell" busy={subscribing.isPending} onClick={() => subscribing.mutate(publicKey)}>
            {texts.subscribe}
          </Button>
        </div>
      )}
      {subscribing.isSuccess && <Sent result={subscribing.data} text={texts.lookAtDevice} />}
      {subscribing.error && (
        <p role="alert">{subscribing.error.message === 'refused' ? texts.noPush.refused : texts.notSubscribed}</p>
      )}
      <Answer query={devices} lines={1}>
        {(list) => <Devices devices={list} />}
      </Answer>
    </section>
  );
}

function ByMail({ channel }: { readonly channel: Notifications['channels']['mail'] }) {
  const { notifications: texts } = useTexts();
  const testing = useTest();
  return (
    <section className="stack">
      <h3>{texts.mail}</h3>
      {channel.available ? (
        <>
          <p>
            <bdi>{channel.address}</bdi>{' '}
            <span className={`badge tone-${channel.confirmed ? 'good' : 'wait'}`}>
              <Icon name={channel.confirmed ? 'check' : 'clock'} />
              {channel.confirmed ? texts.isConfirmed : texts.isNotConfirmed}
            </span>
          </p>
          <div className="row">
            <Button icon="arrow" busy={testing.isPending} onClick={() => testing.mutate('mail')}>
              {channel.confirmed ? texts.testMail : texts.confirmMail}
            </Button>
          </div>
        </>
      ) : (
        <p className="quiet">{texts.noMail}</p>
      )}
      {testing.isSuccess && <Sent result={testing.data} text={texts.lookAtMail} />}
      {testing.error && <ErrorText error={testing.error} />}
    </section>
  );
}

function Sent({
  result,
  text,
}: {
  readonly result: { outcome: string; reason: string | null };
  readonly text: string;
}) {
  const { notifications: texts } = useTexts();
  if (result.outcome === 'SENT') return <Outcome done={text} error={null} />;
  return (
    <p role="alert">
      {texts.notSent} {result.reason && <span lang="en">({result.reason})</span>}
    </p>
  );
}

function Preferences({ settings }: { readonly settings: Notifications }) {
  const { notifications: texts } = useTexts();
  const saving = useSave();
  const has = useHas();
  const [values, setValues] = useState(settings);
  const change = (changes: Partial<Notifications>) => setValues((before) => ({ ...before, ...changes }));
  const quiet = values.quiet ?? { from: '23:00', until: '08:00' };
  const box = (name: 'push' | 'mail' | 'always' | 'closings', label: string) => (
    <label className="check">
      <input type="checkbox" checked={values[name]} onChange={({ target }) => change({ [name]: target.checked })} />{' '}
      {label}
    </label>
  );
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate(values);
      }}
    >
      <h3>{texts.preferences}</h3>
      {box('push', texts.push)}
      {box('mail', texts.byMail)}
      {box('always', texts.always)}
      {has('days') && box('closings', texts.closings)}
      <label className="check">
        <input
          type="checkbox"
          checked={values.quiet !== null}
          onChange={({ target }) => change({ quiet: target.checked ? quiet : null })}
        />{' '}
        {texts.quiet}
      </label>
      {values.quiet && (
        <div className="row">
          {(['from', 'until'] as const).map((end) => (
            <Field
              key={end}
              label={texts[end]}
              type="time"
              required
              value={quiet[end]}
              onChange={({ target }) => change({ quiet: { ...quiet, [end]: target.value } })}
            />
          ))}
        </div>
      )}
      <p className="fine">{texts.quietHelp}</p>
      <SelectField
        label={texts.language}
        value={values.language}
        onChange={({ target }) => change({ language: target.value as Notifications['language'] })}
      >
        <option value="en" lang="en">
          English
        </option>
        <option value="pt-BR" lang="pt-BR">
          Português
        </option>
      </SelectField>
      <Outcome done={saving.isSuccess && texts.saved} error={saving.error} />
      <div className="row">
        <Button type="submit" busy={saving.isPending}>
          {texts.save}
        </Button>
      </div>
    </form>
  );
}
