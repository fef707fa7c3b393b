/** What is pressed, written into and chosen from. */

import { useState } from 'react';
import { Badge, Key } from '../../components/badge.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { CodeBlock, Id } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Check, Field, Select, TextField } from '../../components/fields/field.tsx';
import { Menu, MenuHeading, MenuItem, MenuLine } from '../../components/overlays/menu.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Specimens } from './specimens.tsx';

const call = `curl "http://127.0.0.1:8787/v1/models" \\
  -H "Authorization: Bearer $WEIR_TOKEN"`;

export function Controls() {
  return (
    <div className="grid gap-x-10 gap-y-8 lg:grid-cols-2">
      <Buttons />
      <Words />
      <Fields />
      <Specimens title="Tabs and code">
        <Tabs
          label="Call"
          tabs={[
            { id: 'curl', label: 'curl', content: <CodeBlock title="Terminal" code={call} /> },
            {
              id: 'reply',
              label: 'Reply',
              content: <CodeBlock title="JSON" code={'{ "object": "list", "data": [] }'} />,
            },
            { id: 'headers', label: 'Headers', content: <CodeBlock title="Headers" code="x-request-id: req_019ab" /> },
          ]}
        />
      </Specimens>
    </div>
  );
}

function Buttons() {
  const nothing = () => undefined;
  return (
    <Specimens title="Buttons">
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary">Create token</Button>
        <Button icon="plus">Add provider</Button>
        <Button kind="quiet">Cancel</Button>
        <Button kind="danger">Revoke</Button>
        <Button busy>Testing</Button>
        <Button disabled>Save</Button>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button size="small">Small</Button>
        <Button>Medium</Button>
        <Button size="large" kind="primary">
          Large
        </Button>
        <IconButton icon="search" label="Search" />
        <IconButton icon="settings" label="Columns" kind="plain" />
        <Menu trigger={<Button>Columns</Button>} align="start">
          <MenuHeading>Columns</MenuHeading>
          <MenuItem icon="check" onSelect={nothing}>
            Model
          </MenuItem>
          <MenuItem icon="check" hint={<Key>C</Key>} onSelect={nothing}>
            Cost
          </MenuItem>
          <MenuLine />
          <MenuItem disabled onSelect={nothing}>
            Reset
          </MenuItem>
        </Menu>
      </div>
    </Specimens>
  );
}

function Words() {
  return (
    <Specimens title="Badges, keys and ids">
      <div className="flex flex-wrap items-center gap-2">
        <Badge>draft</Badge>
        <Badge tone="accent">new</Badge>
        <Badge tone="ok" dot>
          ready
        </Badge>
        <Badge tone="warn" dot>
          cooling
        </Badge>
        <Badge tone="bad" dot>
          failed
        </Badge>
        <Badge tone="test" dot>
          Sandbox
        </Badge>
        <Key>Ctrl</Key>
        <Key>K</Key>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <CopyButton text="weir_test_token" what="the token" />
        <CopyButton text="http://127.0.0.1:8787/v1" what="the base address" kind="primary" size="medium" />
        <Id value="req_AZqH5u0GcAC0m2i8cVbqgQ" what="the request id" />
      </div>
    </Specimens>
  );
}

function Fields() {
  const [name, setName] = useState('');
  return (
    <Specimens title="Fields">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Name"
          placeholder="laptop"
          hint="Shown in lists and in the log."
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Field label="Budget" mono defaultValue="-5" error="A budget is an amount above 0, such as 5 or 0.25." />
        <Select
          label="Period"
          defaultValue="month"
          options={[
            { value: 'day', label: 'A day' },
            { value: 'month', label: 'A month' },
            { value: 'total', label: 'In total' },
          ]}
        />
        <Field label="Expires" type="date" optional />
        <div className="sm:col-span-2">
          <TextField label="System prompt" placeholder="You answer in one sentence." optional />
        </div>
        <Check label="Strict" hint="Refuse what cannot be translated without a loss." defaultChecked />
        <Check label="May steer" hint="May set routing options for its requests." />
      </div>
    </Specimens>
  );
}
