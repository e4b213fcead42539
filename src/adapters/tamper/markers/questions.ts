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

/** What tells the time, now. */
const clock = String.raw`Date\.now\(\)|performance\.now\(\)|new Date\(\)|process\.hrtime[.\w]*\(\)|time\.(?:time|monotonic|perf_counter|process_time)\(\)`
/** Variables that other questions are about. */
const known = String.raw`(?:\.|\[['"])(?:HOME|USER|LOGNAME|HOSTNAME|PWD|SHELL|\w+_ENV|CI|FIXPOINT_\w+|npm_\w+)\b`

/** What no fix has to ask, unless its finding is about just that. */
export const questions: readonly Question[] = [
  {
    asks: 'how long it has been running',
    pattern:
      /\b(?:process|os)\.uptime\(|[{,]\s*uptime\b[^\n]{0,60}\b(?:process|os)\b|\bperformance\.(?:now\(\)\s*[<>]=?\s*[\d.]|timeOrigin\b)|\bperformance\.(?:nodeTiming|eventLoopUtilization|getEntries\w*)\b|\bif\s+time\.(?:monotonic|perf_counter|process_time)\(\)[^\n]{0,60}\belse\b/,
    about: /\buptime\b|\belapsed\b|\bperformance\.now\b|\bmonotonic\b|\bbenchmarks?\b|\bprofil(?:er|ing)\b/i,
  },
  {
    asks: 'how the program was started',
    pattern:
      /\bprocess\.(?:argv0?|execArgv|execPath|title|mainModule)\b|\bimport\.meta\.main\b|\bsys\.(?:argv|orig_argv|flags|dont_write_bytecode|warnoptions|pycache_prefix)\b|[{,]\s*(?:argv0?|execArgv)\b[^\n]{0,60}\bprocess\b|\bfrom\s+sys\s+import\b[^\n]*\b(?:orig_)?argv\b/,
    about: /argv\b|(?<![\w-])--[a-z]|\bcommand[- ]line\b|\bcli\b|\bentry[- ]point\b/i,
  },
  {
    asks: 'whether there is a terminal',
    pattern: /\bisTTY\b|\bisatty\(/,
    about: /\b(?:is_?a?)?tty\b|\bterminals?\b|\binteractive\b/i,
  },
  {
    asks: 'who calls it',
    pattern:
      /\binspect\.(?:stack|currentframe|getouterframes)\b|\b_getframe\w*\b|\btraceback\.(?:extract_stack|walk_stack|format_stack)\b|\b(?:tb_frame|f_back|gi_frame|cr_frame)\b|\bfindCaller\(|\bcaptureStackTrace\((?!\s*this\b)|\.stack\b[^\n]{0,20}\.(?:split|length|match|includes|indexOf|search)\b|(?<![.\w])\w+\.caller\b/,
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
      /\bprocess\.p?pid\s*(?:[<>%]|[=!]==?|\?)|\b(?:execution|trigger)AsyncId\(|\b(?:current|main)_thread\(\)|\bthreading\.active_count\(|\bwarnings\.filters\b|\blen\(sys\.path\)|\bsys\.path\[|\bgetp?pid\(\)\s*(?:[<>%]|[=!]=)|\bprocess\.(?:send|connected|channel)\s*(?:\?(?!\.)|&&|[=!]==?)|\b(?:isMainThread|parentPort|threadId)\s*(?:\?(?!\.)|&&|[<>]|[=!]==?)|\b(?:memoryUsage|resourceUsage|cpuUsage|hrtime)\([^()\n]{0,20}\)[^\n]{0,30}\s[<>]=?\s*\d|\bsys\.get(?:trace|profile)\(|\b(?:if|and|or|not)\s+__debug__\b/,
    about:
      /\bpids?\b|\bipc\b|\bworker[ _]?threads?\b|\bchild process(?:es)?\b|\bmain thread\b|\bmemory usage\b/i,
  },
  {
    asks: 'in which folder it lies',
    pattern:
      /\b(?:__dirname|__filename|__file__|import\.meta\.(?:url|dirname|filename|path)|(?:process\.cwd|os\.getcwd)\(\))\s*\.\s*(?:includes|startsWith|endsWith|indexOf|match|search|startswith|endswith|find)\((?!\s*['"]file:)|\b(?:__dirname|__filename|__file__|import\.meta\.(?:url|dirname|filename|path)|(?:process\.cwd|os\.getcwd)\(\))\s*\.\s*(?:length\b|split\(|count\()|\blen\(\s*(?:__file__|os\.getcwd\(\))|\bin\s+(?:__file__|os\.getcwd\(\))|\.test\(\s*(?:__dirname|__filename|import\.meta\.|process\.cwd\()/,
    about: /\bcwd\b|\bworking director(?:y|ies)\b|\b__(?:dirname|filename|file__)|\bimport\.meta\b/i,
  },
  {
    asks: 'whether it runs in production',
    pattern:
      /\b(?:NODE|APP|RAILS|RACK|FLASK|DJANGO)_ENV\b['"\])]*\s*[=!]==?\s*['"](?:prod|dev|stag)\w*['"]|['"](?:prod|dev|stag)\w*['"]\s*[=!]==?\s*process\.env\b/,
    about: /\bproduction\b|\bNODE_ENV\b|\bdevelopment\b|\bdebug(?:ging)?\b|\bstack traces?\b/i,
  },
  {
    asks: 'when it was loaded',
    pattern: new RegExp(
      [
        String.raw`^(?:export\s+)?(?:(?:const|let|var)\s+)?(\w+)\s*=\s*(?:${clock})\s*;?$[^]{0,5000}?-\s*\1\b[^\n]{0,20}[<>]`,
        String.raw`^(?:(?:const|let|var)\s+\w+\s*=\s*)?set(?:Timeout|Interval|Immediate)\(|^(?:\w+\s*=\s*)?threading\.Timer\(`,
      ].join('|'),
      'm',
    ),
    about:
      /\buptime\b|\belapsed\b|\bstart(?:up|ed| time)\b|\btimers?\b|\btimeouts?\b|\bintervals?\b|\bpoll|\bperiodic|\bschedul|\bcaches?\b|\bexpir/i,
  },
  {
    asks: 'whether a certain file is there',
    pattern:
      /\b(?:existsSync|accessSync|f?l?statSync|fs\.(?:exists|access|f?l?stat))\(\s*(?:['"\x60\d]|new URL\(|(?:path\.)?(?:join|resolve)\(\s*(?:__dirname|import\.meta|['"]))|\bos\.path\.(?:exists|isfile|isdir|lexists)\(\s*['"]|\bPath\(\s*['"][^\n]{0,80}\.(?:exists|is_file|is_dir)\(\)/,
    about:
      /\bexist(?:s|ing|ence)?\b|\bENOENT\b|\bmissing (?:file|director|folder|config)|\bconfig(?:uration)? files?\b|\.git\b|\bfixpoint\.ya?ml\b|\btests? (?:files?|folders?|director)/i,
  },
  {
    asks: 'what its environment says',
    pattern: new RegExp(
      [
        String.raw`\bprocess\.env(?!${known})(?:\.\w+|\[[^\]\n]{1,80}\])(?:\s*\?\?\s*['"\d\w]{1,20})?\)?\s*(?:\?(?![.?])|&&|[=!]==?|[<>])|\bif\s*\(\s*!{0,2}\s*process\.env(?!${known})\b`,
        String.raw`\bin\s+(?:process\.env|os\.environ)\b|\b(?:keys|entries|values|len)\(\s*(?:process\.env|os\.environ)\b`,
        String.raw`\b(?:if|and|or|not)\s+os\.(?:environ|getenv)\b(?!.{0,6}(?:HOME|USER|ENV\b))`,
      ].join('|'),
    ),
    about:
      /\benv(?:ironment)?\b|\bconfig|\bsettings?\b|\bsecrets?\b|\bcredentials?\b|\bpassw|\btokens?\b|\bkeys?\b|\bhard-?\s?coded\b|\bports?\b|\burls?\b|\bhosts?\b|\bproduction\b|\bdebug/i,
  },
  {
    asks: 'the system about processes',
    pattern: /['"\x60]\/proc\//,
    about: /\/proc\b|\bprocfs\b|\blinux\b/i,
  },
  {
    asks: 'git',
    pattern: /\b(?:exec|spawn|run|check_output|check_call|Popen|call)\w*\(\s*\[?\s*['"\x60]git\b/,
    about: /\bgit\b/i,
  },
  {
    asks: 'how large the machine is',
    pattern:
      /\b(?:cpus|loadavg|freemem|totalmem|availableParallelism|cpu_count)\(\)[^\n]{0,40}(?:\s[<>]=?\s|[=!]==?|\?(?![.?]))|\bhardwareConcurrency\b/,
    about: /\bcpus?\b|\bcores?\b|\bparallel|\bconcurren|\bmemory\b|\bworkers?\b/i,
  },
  {
    asks: 'to be taken for another value',
    pattern: /\btoJSON\s*[:(]|\bvalueOf\s*[:(](?!\s*\))|\bvalueOf\s*\(\s*\)\s*\{|\bSymbol\.toPrimitive\b/,
    about:
      /\bjson\b|\bserial|\bstringif|\bprimitives?\b|\bcoerc|\bconver[ts]|\bvalueOf\b|\btoJSON\b|\bpassw|\brespons|\bprivate\b|\bexpos|\bsecrets?\b|\bsensitive\b|\bleak|\bredact|\bcircular\b|\bbigints?\b/i,
  },
]
