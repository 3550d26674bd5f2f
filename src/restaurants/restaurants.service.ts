import { randomBytes, randomUUID } from 'node:crypto';
import { HttpStatus, Injectable } from '@nestjs/common';
import { uniqueViolation } from '../database/errors.js';
import type { Restaurant, Prisma as Sql } from '../database/generated/client.js';
import { Prisma } from '../database/prisma.js';
import { posSecretContext } from '../pos/target.js';
import { problem } from '../problem.js';
import { SecretBox } from '../secret-box.js';
import type {
  CreateRestaurantDto,
  OwnRestaurantView,
  QueryRestaurantDto,
  RestaurantPage,
  RestaurantView,
  UpdateRestaurantDto,
} from './restaurants.dto.js';

/** FOR WHOM: restaurants and what the relay must know of them. */
@Injectable()
export class RestaurantsService {
  constructor(
    private readonly prisma: Prisma,
    private readonly box: SecretBox,
  ) {}

  /**
   * Creates a restaurant and links its creator as OWNER, both or neither.
   * @throws 409 when the slug or the terminal's store code is taken
   */
  async create(userId: string, { slug, posSecret, ...fields }: CreateRestaurantDto): Promise<RestaurantView> {
    const id = randomUUID();
    const data = {
      ...fields,
      id,
      posSecret: posSecret ? this.box.close(posSecret, posSecretContext(id)) : null,
      users: { create: { userId, role: 'OWNER' as const } },
    };
    const made = slug ?? slugOf(fields.name);
    try {
      return view(await this.prisma.restaurant.create({ data: { ...data, slug: made } }));
    } catch (error) {
      // nobody typed this slug, so nobody can be asked to change it
      if (slug || !uniqueViolation(error)?.constraint.includes('slug')) throw error;
      return view(
        await this.prisma.restaurant.create({ data: { ...data, slug: `${made}-${randomBytes(3).toString('hex')}` } }),
      );
    }
  }

  /** @throws 404 */
  async get(id: string): Promise<RestaurantView> {
    return view(await this.find({ id }));
  }

  /** @throws 404 also when the caller is not linked: a slug can be guessed */
  async getBySlug(userId: string, slug: string): Promise<RestaurantView> {
    return view(await this.find({ slug, users: { some: { userId } } }));
  }

  /** Every restaurant the user is linked to, by name. */
  async listAll(userId: string): Promise<OwnRestaurantView[]> {
    const links = await this.prisma.userRestaurant.findMany({
      where: { userId, restaurant: { deletedAt: null } },
      include: { restaurant: true },
      orderBy: [{ restaurant: { name: 'asc' } }, { id: 'asc' }],
    });
    return links.map(({ restaurant, role }) => ({ ...view(restaurant), role }));
  }

  async list(userId: string, { page, limit, search, role, sort }: QueryRestaurantDto): Promise<RestaurantPage> {
    // taken literally: Prisma leaves the wildcards of LIKE as they are
    const contains = { contains: search?.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const;
    const where = {
      userId,
      role,
      restaurant: { deletedAt: null, ...(search ? { OR: [{ name: contains }, { slug: contains }] } : {}) },
    };
    const direction = sort.startsWith('-') ? 'desc' : 'asc';
    const [total, links] = await Promise.all([
      this.prisma.userRestaurant.count({ where }),
      this.prisma.userRestaurant.findMany({
        where,
        include: { restaurant: true },
        orderBy: [{ restaurant: { [sort.replace('-', '')]: direction } }, { id: 'asc' }],
        skip: (page - 1) * limit,
        take: limit,
      }),
    ]);
    return {
      data: links.map(({ restaurant, role }) => ({ ...view(restaurant), role })),
      meta: { page, limit, total, pages: Math.ceil(total / limit) },
    };
  }

  /** @throws 404; 409 when the slug or the terminal's store code is taken */
  async update(id: string, { posSecret, ...fields }: UpdateRestaurantDto): Promise<RestaurantView> {
    const secret = posSecret ? this.box.close(posSecret, posSecretContext(id)) : posSecret;
    return view(
      await this.prisma.restaurant.update({ where: { id, deletedAt: null }, data: { ...fields, posSecret: secret } }),
    );
  }

  /**
   * The restaurant disappears from every endpoint, its slug and store code are free again; its events and jobs stay.
   * @throws 409 UNDELIVERED_ORDERS while orders still wait for the POS
   */
  async remove(id: string): Promise<void> {
    await this.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM restaurants WHERE id = ${id}::uuid FOR UPDATE`;
      const undelivered = await tx.outboxJob.count({
        where: { restaurantId: id, status: { in: ['PENDING', 'PROCESSING', 'FAILED'] } },
      });
      if (undelivered > 0)
        throw problem(
          HttpStatus.CONFLICT,
          'UNDELIVERED_ORDERS',
          `${undelivered} orders of this restaurant still wait for the POS`,
        );
      await tx.restaurant.update({ where: { id, deletedAt: null }, data: { deletedAt: new Date() } });
    });
  }

  private async find(where: Sql.RestaurantWhereInput): Promise<Restaurant> {
    const restaurant = await this.prisma.restaurant.findFirst({ where: { ...where, deletedAt: null } });
    if (!restaurant) throw problem(HttpStatus.NOT_FOUND, 'NOT_FOUND', 'there is no such restaurant');
    return restaurant;
  }
}

/** `Pizzeria São João` -> `pizzeria-sao-joao`. @throws 400 when the name gives none */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const slug = plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replaceAll(/^-+|-+$/g, '');
  if (slug.length >= 3) return slug;
  throw problem(HttpStatus.BAD_REQUEST, 'VALIDATION_FAILED', ['slug is required: none can be made from this name']);
}

function view({ posSecret, deletedAt: _, ...restaurant }: Restaurant): RestaurantView {
  return { ...restaurant, hasPosSecret: posSecret !== null };
}
