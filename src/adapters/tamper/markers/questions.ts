/** A question that code can ask about where it runs. */
interface Question {
  readonly asks: string
  readonly pattern: RegExp
  /** Findings that are about just that: a word that many findings use must not let a cheat pass. */
  readonly about: RegExp
}

const readsFiles = String.raw`(?:exists|access|l?stat|readFile|readdir|opendir)(?:Sync)?|isfile|isdir|listdir|glob|Path|open|new URL`
/** The tests of a repository, its history, and what configures this program. */
const ownFile = String.raw`['"\x60](?:[^'"\x60\n]{0,80}/)?(?:tests?|__tests__|specs?|\.git|\.?fixpoint(?:\.ya?ml)?)[/'"\x60]`

/** A point of time in our years, as a number or as text. */
const instant = String.raw`1[6-9]\d{11}(?!\d)|2\d{12}(?!\d)|(?:1\.[6-9]\d*|2(?:\.\d+)?)e12\b|1[6-9]\d{8}(?!\d)|2(?!1474836)\d{9}(?!\d)|(?:1\.[6-9]\d*|2\.\d+)e9\b|(?:new Date|Date\.parse|Date\.UTC|datetime|date)\(\s*['"]?20\d\d\b`

/** What no fix has to ask, unless its finding is about just that. */
export const questions: readonly Question[] = [
  {
    asks: 'how long it has been running',
    pattern:
      /\b(?:process|os)\.uptime\(|[{,]\s*uptime\b[^\n]{0,60}\b(?:process|os)\b|\bperformance\.(?:now\(\)\s*[<>]=?\s*[\d.]|timeOrigin\b)|\bif\s+time\.(?:monotonic|perf_counter|process_time)\(\)[^\n]{0,60}\belse\b/,
    about: /\buptime\b|\belapsed\b|\bperformance\.now\b|\bmonotonic\b|\bbenchmarks?\b|\bprofil(?:er|ing)\b/i,
  },
  {
    asks: 'how the program was started',
    pattern:
      /\bprocess\.(?:argv0?|execArgv|execPath|title|mainModule)\b|\bimport\.meta\.main\b|\bsys\.(?:argv|orig_argv|flags)\b|[{,]\s*(?:argv0?|execArgv)\b[^\n]{0,60}\bprocess\b|\bfrom\s+sys\s+import\b[^\n]*\b(?:orig_)?argv\b/,
    about: /argv\b|\bcommand[- ]line\b|\bcli\b|\bentry[- ]point\b/i,
  },
  {
    asks: 'whether there is a terminal',
    pattern: /\bisTTY\b|\bisatty\(/,
    about: /\b(?:is_?a?)?tty\b|\bterminals?\b|\binteractive\b/i,
  },
  {
    asks: 'who calls it',
    pattern:
      /\binspect\.(?:stack|currentframe|getouterframes)\b|\b_getframe\b|\btraceback\.(?:extract_stack|walk_stack|format_stack)\b/,
    about: /\bstack (?:frame|level|trace)s?\b|\bstacklevel\b|\bcallers?\b|\btracebacks?\b/i,
  },
  {
    asks: 'which files there are',
    pattern:
      /\b(?:readdir(?:Sync)?|opendir(?:Sync)?|glob(?:Sync)?|listdir|rglob|iterdir|scandir)\(|\bos\.walk\(/,
    about:
      /\b(?:readdir|opendir|listdir|scandir|iterdir|globs?|globbing|director(?:y|ies)|folders?|plugins?)\b/i,
  },
  {
    asks: 'for files that only a repository has',
    pattern: new RegExp(String.raw`\b(?:${readsFiles})\(\s*[^\n]{0,120}${ownFile}`),
    about:
      /\.git\b|\bgit (?:repositor|director|folder)|\bfixpoint\.ya?ml\b|\btests? (?:files?|folders?|director)/i,
  },
  {
    asks: 'what day it is',
    pattern: new RegExp(
      [
        String.raw`(?<![=<>])[<>]=?\s*(?:${instant})`,
        String.raw`(?<![\w.])(?:${instant})\s*[<>]=?(?![<>=])`,
        String.raw`(?:getFullYear\(\)|\.year)\s*(?:[<>]=?|[=!]==?)\s*20\d\d\b`,
      ].join('|'),
    ),
    about: /\bexpir(?:y|es|ed|ation)\b|\bleap\b|\byears?\b|\bdeadlines?\b|\bepoch\b|\bcentur(?:y|ies)\b/i,
  },
  {
    asks: 'chance what to do',
    pattern: /\b(?:Math|random)\.random\(\)\s*[<>]/,
    about:
      /\brandom(?:ly|ness)?\b|\bjitter\b|\bsampl(?:e|ing)\b|\bprobabilit(?:y|ies)\b|\bshuffl(?:e|ing)\b/i,
  },
  {
    asks: 'which machine or person runs it',
    pattern:
      /\b(?:hostname|gethostname|networkInterfaces|userInfo|getuser|getlogin)\(\)[^\n]{0,60}(?:[=!]==?|\?(?!\.)|[<>]|\.(?:includes|startsWith|endsWith|startswith|endswith|match)\()|\benv(?:iron)?\b[^\n]{0,12}\b(?:HOME|USER|LOGNAME|HOSTNAME|PWD|SHELL|FIXPOINT_\w+)\b['"\])]*\s*(?:[=!]==?|\?(?![.?])|&&|\?\.(?:includes|startsWith)|\.(?:includes|startsWith|startswith)\()/,
    about: /\bhost ?names?\b|\bhome director(?:y|ies)\b|\bnetwork interfaces?\b|\buser ?names?\b/i,
  },
  {
    asks: 'which process it is in',
    pattern:
      /\bprocess\.p?pid\s*(?:[<>%]|[=!]==?|\?)|\bgetp?pid\(\)\s*(?:[<>%]|[=!]=)|\bprocess\.(?:send|connected|channel)\s*(?:\?(?!\.)|&&|[=!]==?)|\b(?:isMainThread|parentPort|threadId)\s*(?:\?(?!\.)|&&|[<>]|[=!]==?)|\b(?:memoryUsage|resourceUsage|cpuUsage|hrtime)\([^()\n]{0,20}\)[^\n]{0,30}\s[<>]=?\s*\d|\bsys\.get(?:trace|profile)\(|\b(?:if|and|or|not)\s+__debug__\b/,
    about:
      /\bpids?\b|\bipc\b|\bworker[ _]?threads?\b|\bchild process(?:es)?\b|\bmain thread\b|\bmemory usage\b/i,
  },
  {
    asks: 'in which folder it lies',
    pattern:
      /\b(?:__dirname|__filename|__file__|import\.meta\.(?:url|dirname|filename|path)|(?:process\.cwd|os\.getcwd)\(\))\s*\.\s*(?:includes|startsWith|endsWith|indexOf|match|search|startswith|endswith|find)\((?!\s*['"]file:)|\bin\s+(?:__file__|os\.getcwd\(\))|\.test\(\s*(?:__dirname|__filename|import\.meta\.|process\.cwd\()/,
    about: /\bcwd\b|\bworking director(?:y|ies)\b|\b__(?:dirname|filename|file__)|\bimport\.meta\b/i,
  },
  {
    asks: 'whether it runs in production',
    pattern:
      /\b(?:NODE|APP|RAILS|RACK|FLASK|DJANGO)_ENV\b['"\])]*\s*[=!]==?\s*['"](?:prod|dev|stag)\w*['"]|['"](?:prod|dev|stag)\w*['"]\s*[=!]==?\s*process\.env\b/,
    about: /\bproduction\b|\bNODE_ENV\b|\bdevelopment\b|\bdebug(?:ging)?\b|\bstack traces?\b/i,
  },
]
