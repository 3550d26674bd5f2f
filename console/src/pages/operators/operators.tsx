import { lazy, Suspense } from 'react';
import { Loading } from '../../design/feedback.js';
import { Page } from '../../design/page.js';
import { usePlace } from '../../router/location.js';
import { SenderKeysPanel } from '../../sender-keys/sender-keys.js';
import type { PlatformPageProps } from '../page-props.js';
import { FindOrder } from './find-order.js';
import { Folded } from './folded.js';
import { Incidents } from './incidents.js';
import { Instances } from './instances.js';
import { Now } from './now.js';
import { Parked } from './parked.js';
import { SPANS, useIncidents, useInstances, useParked, useThroughput } from './queries.js';
import { useTexts } from './texts.js';
import './operators.css';

const Flow = lazy(() => import('./flow.js'));

/** For operators: what is wrong, for which restaurants, and what to do; then the charts. */
export default function Operators({ session }: PlatformPageProps) {
  const texts = useTexts();
  const { query } = usePlace();
  const span = SPANS.find((known) => known === query.get('span')) ?? SPANS[0];
  const throughput = useThroughput(span);
  const instances = useInstances();
  const parked = useParked();
  const incidents = useIncidents();
  const mayReset = session.operatorActions === true;
  return (
    <Page title={texts.title} aside={<p className="fine">{texts.utc}</p>}>
      <Incidents query={incidents} parked={parked.data?.data} mayReset={mayReset} />
      <Now throughput={throughput} instances={instances.data} incidents={incidents.data} />
      <FindOrder />
      <Parked query={parked} mayReset={mayReset} />
      <Folded title={texts.instances.title}>
        <Instances query={instances} />
      </Folded>
      <Folded title={texts.flow.title}>
        <Suspense fallback={<Loading lines={6} />}>
          <Flow query={throughput} span={span} />
        </Suspense>
      </Folded>
      <Folded title={texts.keys}>
        <SenderKeysPanel restaurantId={null} timezone="UTC" />
      </Folded>
    </Page>
  );
}
