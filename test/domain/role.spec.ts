import { mayGrant, PLATFORM_ROLES, permissionsOf, RESTAURANT_ROLES, rolesWith } from '../../src/domain/role.js';

describe('the permissions of each role (A13)', () => {
  test.each([
    ['ADMIN', ['manage_users', 'manage_data', 'view_reports', 'manage_settings']],
    ['MANAGER', ['manage_data', 'view_reports', 'manage_operations']],
    ['EMPLOYEE', ['create_transactions', 'view_data']],
    ['VIEWER', ['view_data']],
  ] as const)('%s has exactly %j', (role, permissions) => {
    expect(permissionsOf(role)).toEqual(permissions);
  });

  test('an OWNER has every permission there is, each once', () => {
    expect(permissionsOf('OWNER').toSorted()).toEqual([
      'create_transactions',
      'manage_data',
      'manage_operations',
      'manage_settings',
      'manage_users',
      'view_data',
      'view_reports',
    ]);
  });

  test('the list handed out is the caller’s own: changing it changes no role', () => {
    permissionsOf('VIEWER').push('manage_users');
    permissionsOf('OWNER').pop();
    expect(permissionsOf('VIEWER')).toEqual(['view_data']);
    expect(permissionsOf('OWNER')).toHaveLength(7);
  });
});

describe('which roles have a permission (A27)', () => {
  test.each([
    [['view_data'], ['OWNER', 'ADMIN', 'MANAGER', 'EMPLOYEE', 'VIEWER']],
    [['view_reports'], ['OWNER', 'ADMIN', 'MANAGER']],
    [['manage_settings'], ['OWNER', 'ADMIN']],
    [['manage_users'], ['OWNER', 'ADMIN']],
    [
      ['manage_operations', 'manage_data'],
      ['OWNER', 'ADMIN', 'MANAGER'],
    ],
    [['manage_operations'], ['OWNER', 'MANAGER']],
    [['create_transactions'], ['OWNER', 'EMPLOYEE']],
  ] as const)('%j: %j', (permissions, roles) => {
    expect(rolesWith(...permissions)).toEqual(roles);
  });
});

describe('nobody grants a role above their own (A14)', () => {
  const grantable: Record<string, readonly string[]> = {
    OWNER: ['OWNER', 'ADMIN', 'MANAGER', 'EMPLOYEE', 'VIEWER'],
    ADMIN: ['ADMIN', 'MANAGER', 'EMPLOYEE', 'VIEWER'],
    MANAGER: ['MANAGER', 'EMPLOYEE', 'VIEWER'],
    EMPLOYEE: ['EMPLOYEE', 'VIEWER'],
    VIEWER: ['VIEWER'],
  };
  const pairs = RESTAURANT_ROLES.flatMap((own) => RESTAURANT_ROLES.map((granted) => ({ own, granted })));

  test('all 25 pairs of roles are in the table below', () => {
    expect(pairs).toHaveLength(25);
    expect(RESTAURANT_ROLES.toSorted()).toEqual(Object.keys(grantable).toSorted());
  });

  test.each(pairs.map((pair) => ({ ...pair, may: grantable[pair.own]?.includes(pair.granted) ?? false })))(
    '$own grants $granted: $may',
    ({ own, granted, may }) => {
      expect(mayGrant(own, granted)).toBe(may);
    },
  );
});

test('the platform knows two roles, USER and ADMIN (A12)', () => {
  expect(PLATFORM_ROLES).toEqual(['USER', 'ADMIN']);
});
