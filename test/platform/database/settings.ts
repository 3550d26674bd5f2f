/** A value of each setting that would harm the relay, or change what a statement means (S16). */
export const WRONG: Readonly<Record<string, string>> = {
  array_nulls: 'off',
  backslash_quote: 'on',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  bytea_output: 'escape',
  IntervalStyle: 'sql_standard',
  extra_float_digits: '-10',
  xmlbinary: 'hex',
  xmloption: 'document',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  search_path: 'nowhere',
  row_security: 'off',
  check_function_bodies: 'off',
  default_table_access_method: 'nowhere',
  exit_on_error: 'on',
  gin_fuzzy_search_limit: '1',
  lock_timeout: '1ms',
  statement_timeout: '1ms',
  idle_in_transaction_session_timeout: '1ms',
  idle_session_timeout: '1ms',
  synchronous_commit: 'off',
  client_encoding: 'LATIN1',
  DateStyle: 'German',
  TimeZone: 'Asia/Kolkata',
  jit: 'on',
  max_parallel_workers_per_gather: '8',
  enable_seqscan: 'on',
  restrict_nonsystem_relation_kind: 'view',
  transaction_timeout: '1ms',
  application_name: 'another',
  // only a superuser can set it, and each session has its own: receipts do without it (V28)
  track_activities: 'off',
};

/** Why a session need not set a setting, by the beginning of its category or by its name. */
export const NOT_SET: readonly (readonly [names: RegExp, because: string])[] = [
  [
    /^(session_replication_role|zero_damaged_pages|ignore_checksum_failure)$/,
    'a superuser sets it: checked at start (S25, S26)',
  ],
  [
    /^default_transaction_read_only$/,
    'an operator or a provider stops writes by it: as an outage, so ready says 503 (H12)',
  ],
  [/^transaction_(isolation|read_only|deferrable)$/, 'of one transaction, from the default_transaction_ settings'],
  [
    /^Query Tuning|^enable_|^force_parallel_mode$|^debug_parallel_query$|^parallel_leader/,
    'which plan, not what it finds',
  ],
  [/^Resource Usage|^Autovacuum|^vacuum_|^gin_pending_list_limit$|^temp_tablespaces$/, 'memory, disk and processes'],
  [
    /^Reporting and Logging|^Statistics|^Monitoring|^trace_|^debug_|^backtrace_functions$/,
    'what the server writes down',
  ],
  [/^Connections and Authentication/, 'how a session is reached, or how passwords are kept: the relay sets none'],
  [
    /^lc_|^default_text_search_config$|^timezone_abbreviations$/,
    'no statement formats by locale, searches texts by it, or reads names of zones',
  ],
  [/^client_min_messages$/, 'notices, which the relay does not read'],
  [/^default_tablespace$|^default_toast_compression$/, 'where and how tables are kept: the choice of an operator'],
  [
    /_preload_libraries$|^dynamic_library_path$|^extension_destdir$|^output_plugin_libraries$/,
    'code that a superuser loads',
  ],
  [
    /^allow_|^composite_type_mismatch$|^jit_|^wal_consistency_checking$/,
    'for developers of Postgres; no statement of the relay does that',
  ],
  [/^deadlock_timeout$|^wal_sender_timeout$/, 'when something is noticed'],
  [/^commit_(delay|siblings)$|^wal_/, 'how a commit is written, not whether'],
  [/^lo_compat_privileges$/, 'there are no large objects'],
  [
    /^escape_string_warning$|^quote_all_identifiers$|^synchronize_seqscans$/,
    'a warning, the text of a definition, the order of rows that no statement relies on',
  ],
  [/^Customized Options/, 'of an extension'],
];
