import { Module } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { AuditModule } from '../platform/audit/audit.module.js';
import { Config } from '../platform/config/config.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { ConsoleSessions } from './console-sessions.js';
import { Founders } from './founder.js';
import { JwtStrategy } from './jwt.guard.js';
import { JwtKey } from './jwt.key.js';
import { KnownAddresses } from './known-addresses.js';
import { LoginThrottle } from './login-throttle.js';
import { Passwords } from './passwords.js';
import { Revocations } from './revocations.js';
import { SignInAudit } from './sign-in-audit.js';
import { TokenEnds } from './token-ends.js';

const jwtService = {
  provide: JwtService,
  inject: [JwtKey, Config],
  useFactory: ({ secret, algorithm }: JwtKey, { jwtExpiresInSeconds }: Config) =>
    new JwtService({
      secret,
      signOptions: { algorithm, expiresIn: jwtExpiresInSeconds },
      verifyOptions: { algorithms: [algorithm] },
    }),
};

/** Authentication: login, JWT verification, passwords. */
@Module({
  imports: [AuditModule],
  controllers: [AuthController],
  providers: [
    AuthService,
    Passwords,
    LoginThrottle,
    KnownAddresses,
    SignInAudit,
    ConsoleSessions,
    Founders,
    Revocations,
    TokenEnds,
    JwtKey,
    jwtService,
    JwtStrategy,
  ],
  exports: [AuthService, ConsoleSessions, Passwords, Revocations, TokenEnds],
})
export class AuthModule {}
