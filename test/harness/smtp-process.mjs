/** An SMTP server for tests in a Node process of its own: prints its port, then each mail as a line of JSON. */

import { readFileSync } from 'node:fs';
import { SMTPServer } from 'smtp-server';

const [keyFile, certFile, user, password] = process.argv.slice(2);
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const server = new SMTPServer({
  key: readFileSync(keyFile),
  cert: readFileSync(certFile),
  authMethods: ['PLAIN', 'LOGIN'],
  onAuth(given, session, done) {
    const isKnown = given.username === user && given.password === password;
    if (!isKnown) return done(new Error('Invalid user name or password'));
    done(null, { user: { secure: session.secure } });
  },
  onData(stream, session, done) {
    let text = '';
    stream.setEncoding('utf8');
    stream.on('data', (piece) => {
      text += piece;
    });
    stream.on('end', () => {
      const { mailFrom, rcptTo } = session.envelope;
      const to = rcptTo.map(({ address }) => address);
      print({ secure: session.secure, user: session.user !== undefined, from: mailFrom.address, to, text });
      done(null, 'Message accepted as 42');
    });
  },
});
server.on('error', (error) => process.stderr.write(`${error.message}\n`));
server.listen(0, '127.0.0.1', () => print({ port: server.server.address().port }));
