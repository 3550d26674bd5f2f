import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, type View } from '../../api/client.js';
import { every } from '../../api/queries.js';
import type { Answer } from './answers.js';

export type TerminalFile = View<'TerminalFileView'>;
export type FileDetail = View<'TerminalFileDetailView'>;
export type Mapping = View<'MappingView'>;
export type Difference = View<'DifferenceView'>;
export type Claim = View<'FileClaimView'>;
type Days = View<'FileDaysView'>;

const REPEAT_MS = 60_000;
const LIST_PAGE = 20;
const ROWS_PAGE = 100;

const listKey = (restaurantId: string) => ['terminal-files', restaurantId] as const;
const fileKey = (restaurantId: string, fileId: string) => ['terminal-file', restaurantId, fileId] as const;
const differencesKey = (restaurantId: string, fileId: string) => ['differences', restaurantId, fileId] as const;

export function useFiles(restaurantId: string, after: string | undefined) {
  const query = { limit: LIST_PAGE, ...(after !== undefined && { after }) };
  return useQuery({
    queryKey: [...listKey(restaurantId), after ?? ''],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/restaurants/{restaurantId}/terminal-files', { params: { path: { restaurantId }, query }, signal }),
      ),
    placeholderData: keepPreviousData,
    ...every(REPEAT_MS),
  });
}

/** A file, with its preview until it is confirmed. It is not read again while somebody changes the mapping. */
export function useFile(restaurantId: string, fileId: string) {
  return useQuery({
    queryKey: fileKey(restaurantId, fileId),
    queryFn: async ({ signal }) => {
      const params = { path: { restaurantId, fileId } };
      return (await answerOf(api.GET('/restaurants/{restaurantId}/terminal-files/{fileId}', { params, signal }))).data;
    },
    staleTime: REPEAT_MS,
    refetchOnWindowFocus: false,
  });
}

export function useUpload(restaurantId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (file: File) =>
      (
        await answerOf(
          api.POST('/restaurants/{restaurantId}/terminal-files', {
            params: { path: { restaurantId }, query: { name: file.name.slice(-200) } },
            // the bytes as they are: the relay finds out their encoding
            body: file as unknown as string,
            bodySerializer: (body) => body,
            headers: { 'Content-Type': 'text/csv' },
          }),
        )
      ).data,
    onSuccess: (file) => {
      queries.setQueryData(fileKey(restaurantId, file.id), file);
      return queries.invalidateQueries({ queryKey: listKey(restaurantId) });
    },
  });
}

/** How the file is read with a mapping; with its own one it is known. */
export function usePreview(restaurantId: string, file: FileDetail, mapping: Mapping) {
  const { id: fileId, preview } = file;
  const isFirst = mapping === file.mapping && preview !== null;
  return useQuery({
    queryKey: [...fileKey(restaurantId, fileId), 'preview', mapping],
    queryFn: async ({ signal }) => {
      const params = { path: { restaurantId, fileId } };
      const call = api.POST('/restaurants/{restaurantId}/terminal-files/{fileId}/preview', {
        ...{ params, body: mapping, signal },
      });
      return (await answerOf(call)).data;
    },
    ...(isFirst && { initialData: preview }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useConfirm(restaurantId: string, fileId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({
      mapping,
      ...rest
    }: { mapping: Mapping; again?: boolean; claim?: boolean } & Partial<Days>) => {
      const params = { path: { restaurantId, fileId } };
      const call = api.POST('/restaurants/{restaurantId}/terminal-files/{fileId}/confirm', {
        ...{ params, body: { ...mapping, ...rest } },
      });
      return (await answerOf(call)).data;
    },
    onSuccess: async (file) => {
      queries.setQueryData(fileKey(restaurantId, fileId), file);
      await queries.invalidateQueries({ queryKey: differencesKey(restaurantId, fileId) });
      return queries.invalidateQueries({ queryKey: listKey(restaurantId) });
    },
    // somebody else may have confirmed it
    onError: () => queries.invalidateQueries({ queryKey: fileKey(restaurantId, fileId), exact: true }),
  });
}

export function useRemove(restaurantId: string, fileId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const params = { path: { restaurantId, fileId } };
      await answerOf(api.DELETE('/restaurants/{restaurantId}/terminal-files/{fileId}', { params }));
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: listKey(restaurantId) }),
  });
}

/** The file with its summary, and the first rows that are not MATCHED. */
export function useDifferences(restaurantId: string, fileId: string) {
  return useQuery({
    queryKey: differencesKey(restaurantId, fileId),
    queryFn: ({ signal }) => readDifferences(restaurantId, fileId, { limit: ROWS_PAGE }, signal),
    ...every(REPEAT_MS),
  });
}

/** Which rows: of an answer, or those that people have decided. */
export type RowsQuery = { readonly answer: Answer } | { readonly decided: true };

/** All rows of a part, page by page. */
export function useRowsOf(restaurantId: string, fileId: string, which: RowsQuery, isWanted: boolean) {
  return useInfiniteQuery({
    queryKey: [...differencesKey(restaurantId, fileId), which],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...which, limit: ROWS_PAGE, ...(pageParam !== undefined && { after: pageParam }) };
      return readDifferences(restaurantId, fileId, query, signal);
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
    enabled: isWanted,
  });
}

/** What a person decides about a row. */
export type Decision =
  | { readonly act: 'enter'; readonly note: string }
  | { readonly act: 'check' | 'undo' }
  | { readonly act: 'accept' | 'refuse'; readonly transactionKey: string };

export function useDecide(restaurantId: string, fileId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ line, ...decision }: Decision & { readonly line: number }) => {
      const params = { path: { restaurantId, fileId, line } };
      const rows = '/restaurants/{restaurantId}/terminal-files/{fileId}/rows/{line}';
      switch (decision.act) {
        case 'enter':
          return answerOf(api.POST(`${rows}/enter`, { params, body: { note: decision.note } }));
        case 'check':
          return answerOf(api.POST(`${rows}/check`, { params, body: {} }));
        case 'undo':
          return answerOf(api.POST(`${rows}/undo`, { params }));
        default:
          return answerOf(
            api.POST(`${rows}/${decision.act}`, { params, body: { transactionKey: decision.transactionKey } }),
          );
      }
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: differencesKey(restaurantId, fileId) });
      await queries.invalidateQueries({ queryKey: listKey(restaurantId) });
    },
  });
}

function readDifferences(
  restaurantId: string,
  fileId: string,
  query: Partial<{ answer: Answer; decided: true }> & { limit: number; after?: string },
  signal: AbortSignal,
) {
  const params = { path: { restaurantId, fileId }, query };
  return answerOf(api.GET('/restaurants/{restaurantId}/terminal-files/{fileId}/differences', { params, signal }));
}
