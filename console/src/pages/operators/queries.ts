import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, api, type View } from '../../api/client.js';
import { every } from '../../api/queries.js';
import { useLanguage } from '../../i18n/language.js';

const NOW_MS = 5_000;
const PARKED_MS = 10_000;

/** The spans of the charts, in minutes. */
export const SPANS = ['60', '360', '1440'] as const;
export type Span = (typeof SPANS)[number];

export type Throughput = View<'ThroughputView'>;
export type Bucket = View<'ThroughputBucketView'>;
export type Instance = View<'InstanceView'>;
export type ParkedCause = View<'CauseView'>;
export type Incident = View<'IncidentView'>;

export function useThroughput(span: Span) {
  return useQuery({
    queryKey: ['operators', 'throughput', span],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/admin/throughput', { params: { query: { minutes: Number(span) } }, signal })),
    placeholderData: keepPreviousData,
    ...every(NOW_MS),
  });
}

export function useInstances() {
  return useQuery({
    queryKey: ['operators', 'instances'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/admin/instances', { signal }))).data,
    ...every(NOW_MS),
  });
}

export function useIncidents() {
  const language = useLanguage();
  return useQuery({
    queryKey: ['operators', 'incidents', language],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/admin/incidents', { params: { query: { language } }, signal }))).data,
    ...every(PARKED_MS),
  });
}

/** The key of the parked jobs by cause. */
export const PARKED_KEY = ['operators', 'parked'] as const;

export function useParked() {
  return useQuery({
    queryKey: PARKED_KEY,
    queryFn: ({ signal }) => answerOf(api.GET('/admin/parked', { signal })),
    ...every(PARKED_MS),
  });
}
