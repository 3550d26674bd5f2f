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

  test('an OWNER has every permission, each once', () => {
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

  test('the returned list is a copy: changing it changes no role', () => {
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

describe('a user grants no role above their own (A14)', () => {
  const grantable: Record<string, readonly string[]> = {
    OWNER: ['OWNER', 'ADMIN', 'MANAGER', 'EMPLOYEE', 'VIEWER'],
    ADMIN: ['ADMIN', 'MANAGER', 'EMPLOYEE', 'VIEWER'],
    MANAGER: ['MANAGER', 'EMPLOYEE', 'VIEWER'],
    EMPLOYEE: ['EMPLOYEE', 'VIEWER'],
    VIEWER: ['VIEWER'],
  };

  test.each(RESTAURANT_ROLES)('%s', (own) => {
    expect(RESTAURANT_ROLES.filter((granted) => mayGrant(own, granted))).toEqual(grantable[own]);
  });
});

test('the platform roles are USER and ADMIN (A12)', () => {
  expect(PLATFORM_ROLES).toEqual(['USER', 'ADMIN']);
});
