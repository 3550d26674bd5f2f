import { createSecretKey } from 'node:crypto';
import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { Config } from '../config.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { JwtStrategy } from './jwt.guard.js';
import { LoginThrottle } from './login-throttle.js';
import { Passwords } from './passwords.js';

/** WHO CALLS. */
@Module({
  imports: [
    JwtModule.registerAsync({
      inject: [Config],
      useFactory: ({ jwtSecret, jwtExpiresInSeconds }: Config) => ({
        // given as text, every request would first try to read it as a PEM key
        secret: createSecretKey(jwtSecret, 'utf8'),
        signOptions: { algorithm: 'HS256', expiresIn: jwtExpiresInSeconds },
        verifyOptions: { algorithms: ['HS256'] },
      }),
    }),
  ],
  controllers: [AuthController],
  providers: [AuthService, Passwords, LoginThrottle, JwtStrategy],
  exports: [AuthService, Passwords],
})
export class AuthModule {}
