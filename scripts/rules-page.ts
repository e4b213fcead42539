import { builtInRules, defaultRules } from '../src/adapters/agents/rules/built-in-rules.ts'
import { isLinterRule, type Rule } from '../src/adapters/agents/rules/scan-sources.ts'

/** The tables of every rule that is on by default, as a page of the documentation. */
export function rulesPage(): string {
  const optional = builtInRules.filter(({ isOptional }) => isOptional)
  const parts = [
    ['JavaScript and TypeScript', defaultRules.filter(({ languages }) => !languages.includes('Python'))],
    ['Python', defaultRules.filter(({ languages }) => languages.includes('Python'))],
  ] as const
  return [
    '# Rules of the built-in reviewer',
    '',
    `These ${defaultRules.length} rules are on without any setting. oxlint finds what concerns JavaScript and TypeScript, Ruff what`,
    'concerns Python; a few rules are of our own, where no linter has them, or has them without a fix. A rule with a fix is',
    'mended by the built-in agent; the others need an agent with a model, or you. This page is generated.',
    '',
    'Switch a rule off or give it another severity in `fixpoint.yaml`, leave paths out, add ast-grep rules of your own:',
    '',
    '```yaml',
    'review: { rules: { eslint/no-debugger: off, py/bare-except: minor }, exclude: ["legacy/**"], rule_files: [rules/own.yml] }',
    '```',
    '',
    'One place is left alone by `fixpoint-ignore RULE: reason` on its line or on the line above; without a reason it does not',
    'count. Comments written for ESLint, oxlint, Ruff, Bandit or Sonar are honoured too. Tests, benchmarks, examples,',
    'documentation, built and vendored code are reviewed only when you name them: `fixpoint review test/`.',
    '',
    'A key such as `eslint/*` means all rules that begin so; the id of a single rule comes before it. `fixpoint init` offers',
    "the project's own linter as a scanner, with the groups that it doubles off.",
    '',
    'Rules that need types (`typescript/no-floating-promises` and its like) are not built in. They need the installed packages',
    'of the project, which a review does without, and a program that is larger than oxlint itself (22 MB for each platform,',
    'oxlint has 16). A project that has such a linter installed runs it as a scanner: `oxlint --type-aware --format json`, or',
    'ESLint with typescript-eslint.',
    '',
    '## How precise they are',
    '',
    ...precision,
    ...parts.flatMap(([title, rules]) => ['', `## ${title}`, '', ...tableOf(rules)]),
    '',
    '## Rules that are off',
    '',
    'What these find is true, but few maintainers would change anything for it. A severity in `review.rules` switches one on.',
    '',
    ...tableOf(optional),
    '',
  ].join('\n')
}

/** Findings at default settings on repositories that no rule was written against, judged by reading the code. */
const precision: readonly string[] = [
  'Worth fixing means that a maintainer would take the change. Each set was reviewed once, judged, and then used to narrow',
  'rules or to switch them off, so every later set is new to the rules. From set 5 on at most three findings of a rule in',
  'one repository were judged, so that no single habit of a project decides the figure.',
  '',
  '| set | repositories | findings | judged | worth fixing |',
  '| --- | --- | --- | --- | --- |',
  '| 2 | apostrophe, axios, docker-py, flask, httpx, koa, locust, luigi, nest, outline, redash, yargs | 218 | 124 | 84 |',
  '| 3 | ariadne, beets, certbot, cookiecutter, etherpad-lite, hexo, nightwatch, parse-server, pip-tools, pm2, python-telegram-bot, sanic, sequelize | 584 | 110 and 184 of one rule | 65 and 0 |',
  '| 4 | GitPython, aiohttp, errbot, eslint, jrnl, json-server, pre-commit, streamlink, verdaccio, werkzeug | 33 | 33 | 19 |',
  '| 5 | actual, borg, buildbot, directus, feathers, karma, knex, mongoose, OctoPrint, pelican, pgcli, searxng | 307 | 85 | 43 |',
  '| 6 | adonisjs, bower, cobbler, frappe, gunicorn, hoppscotch, mkdocs, mopidy, pdf.js, reaction, thefuck, troposphere, TypeScript-Node-Starter, wagtail | 605 | 82 | 54 |',
  '| 7 | changedetection.io, CTFd, datasette, gitcoin, healthchecks, jsdom, mattermost-desktop, pyinstaller, sails, saleor, securedrop, webtorrent | 410 | 108 | 79 |',
  '| 8 | bruno, cytoscape, elastalert, glances, insomnia, jitsi-meet, moleculer, paperless-ngx, peewee, pyload, sabnzbd, thelounge, tornado | 624 | 122 | 81 |',
  '| 9 | ace, archinstall, documenso, FreeTube, jumpserver, linkwarden, localstack, molecule, netbox, prism, probot, supervisor, wiki.js | 509 | 103 | 76 |',
  '| 10 | CyberChef, evennia, formbricks, grist-core, Haraka, InvenTree, mealie, nginx-proxy-manager, nicotine-plus, quodlibet, spyder, umami | 344 | 117 | 89 |',
  '| 11 | dispatch, fastmcp, flower, homebridge, iD, MagicMirror, Mailspring, script-server, Tandoor, total.js, wger, whoogle-search, zigbee2mqtt | 336 | 83 | 68 |',
  '| 12 | buku, calibre-web, celery, excalidraw, freqtrade, hedgedoc, ihatemoney, keystone, less.js, mitmproxy, node-red, NodeBB, pretix, scrapy, socket.io, Tautulli, typeorm, uptime-kuma | 766 | 165 | 81 |',
  '| 13 | caldera, django-oscar, fastify, Flexget, Ghost, jupyterhub, mermaid, nikola, nodemailer, openlibrary, paramiko, ralph, Trilium | 595 | 144 | 90 |',
  '| 14 | django-rest-framework, docsify, inventree-python, isso, koa-router, Leaflet, lektor, medusa, Radicale, ranger, readthedocs.org, standardnotes, strapi, swagger-ui, taiga-back | 311 | 101 | 82 |',
  '| 15 | agenda, bull, ckan, conan, cryptpad, deluge, lerna, marktext, novu, opsdroid, PeerTube, poetry, reviewboard, sopel, tribler, video.js | 1,185 | 147 | 111 |',
  '| 16 | awx, etcher, hyper, joplin, Limnoria, Mailpile, misskey, parcel, phaser, prowler, Red-DiscordBot, Rocket.Chat, twisted, zulip | 2,008 | 227 | 164 |',
  '| 17 | django-cms, docusaurus, hapi, ipython, pontoon, prefect, release-it, serve, shields, sphinx, streamlit, WeasyPrint | 145 | 57 | 37 |',
  '| 18 | appium, biopython, brackets, cherrypy, flask-admin, graphiql, kivy, MQTT.js, openlayers, PyBitmessage, spotify-downloader, sqlmap, Zope | 439 | 80 | 52 |',
  '| 19 | ArchiveBox, bokeh, dash, django-debug-toolbar, ember.js, folium, gradio, habitica, hackathon-starter, keeweb, mongo-express, nav, pyodide, pyspider, react-starter-kit, superset, wayback-machine-webextension, wekan | 775 | 136 | 99 |',
  '| 20 | diff2html, dockge, gensim, ice, jupyterlab, kitty, meteor, networkx, nltk, nova, playwright-python, rq, sanitize-html, uppy, wandb | 411 | 113 | 80 |',
  '| 21 | airflow, cinder, element-web, js-yaml, k6-studio, LocalAI, lollms-webui, matplotlib, mlflow, nbconvert, open-webui, openbazaar-desktop, package_control, scikit-image, splash, tedious, tsoa | 3,674 | 182 | 142 |',
  '| 22 | ansible, AppFlowy-Web, azure-cli, Chart.js, ComfyUI, focalboard, jellyfin-web, kinto, mastodon, neutron, openvscode-server, pandas, pip, python-zeroconf, Rocket.Chat.Electron, sympy, text-generation-webui, thefuzz | 800 | 166 | 120 |',
  '',
  'Of set 15, 8 judged findings stood in one bundle, and 387 of all were one blank that a keyboard writes; both are left out since. Of set 16, 411 of all were',
  'uses of the hook `useEffectEvent` of another library.',
  '',
  'Of set 12, 40 judged findings stood in a folder of copied Python packages, which is left out since. From set 12 on, an exception',
  'that Python shows below the new one anyway counts as worth fixing only where the new text speaks of it, and a time without a',
  'zone only where nothing else in the program has such times.',
  '',
  'Rules with at least five judged findings, over sets 2 to 4: `py/raise-without-from` 30 of 35, `eslint/no-unused-vars` 29 of 36,',
  '`eslint/preserve-caught-error` 17 of 21, `ruff/S113` 14 of 17, `js/throw-literal` 9 of 13, `ruff/DTZ003` 6 of 8,',
  '`react/jsx-key` 5 of 5, `ruff/RUF006` 5 of 5, `ruff/F401` 2 of 20 (migrations and imports that are handed on, left out since).',
]

const tableOf = (rules: readonly Rule[]): readonly string[] => [
  '| rule | found by | severity | why it matters | what to do | fix |',
  '| --- | --- | --- | --- | --- | --- |',
  ...rules.map(
    (rule) =>
      `| \`${rule.id}\` | ${isLinterRule(rule) ? rule.linter : 'Fixpoint'} | ${rule.severity} | ${inCell(rule.why)} | ${inCell(rule.advice ?? 'apply the fix')} | ${hasFix(rule) ? 'yes' : ''} |`,
  ),
]

const hasFix = (rule: Rule): boolean =>
  isLinterRule(rule) ? rule.isFixSafe || rule.fixAt !== undefined : rule.fix !== undefined
const inCell = (text: string): string => text.replaceAll('|', '\\|')
