import { ConfigError, EnvironmentReader } from '../../src/config/environment.js';

describe('a DATABASE_URL', () => {
  const problemsOf = (url: string) => {
    const read = new EnvironmentReader({ DATABASE_URL: url });
    read.url('DATABASE_URL', ['postgres:', 'postgresql:']);
    return new ConfigError(read.problems).message;
  };

  test.each([
    'postgresql://relay:secret@one:5432,two:5432/relay?target_session_attrs=read-write',
    'postgres://one,two/relay',
    'postgresql:///relay?host=one,two',
  ])('%s: several hosts are refused with what serves instead', (url) => {
    expect(problemsOf(url)).toMatch(/DATABASE_URL must name one host: .*PgBouncer, HAProxy, a virtual IP/);
    expect(problemsOf(url)).not.toContain('secret');
  });

  test('a comma in a password or an option is none of that', () => {
    expect(problemsOf('postgresql://relay:se,cret@one/relay?options=-c%20search_path%3Da,b')).toContain('0 problems');
  });
});
