# build.py asks ansible-core for the payloads of one module: programs for Python that hold the
# module and its arguments. It reads a request from standard input and writes an answer, both
# as JSON. It calls nothing of ansible-core but its loader of plugins and its maker of payloads.
import base64
import inspect
import json
import os
import site
import sys


def fail(kind, text):
    json.dump({"problem": kind, "text": text}, sys.stdout)
    sys.exit(0)


def own_packages():
    # Python runs isolated, so it leaves out the user's own packages, where "pip install --user" puts
    # ansible-core. They come last, if only the user can change them.
    path = site.getusersitepackages()
    try:
        at = os.stat(path)
    except OSError:
        return
    if at.st_uid in (0, os.geteuid()) and not at.st_mode & 0o002:
        sys.path.append(path)


def searched(module):
    # The module and what it may include, if it was found on a search path of Ansible's: what is beside
    # ansible-core itself is as trustworthy as Python.
    module = os.path.realpath(module)
    if any(module.startswith(os.path.realpath(path) + os.sep) for path in sys.path):
        return []
    shared = os.path.join(os.path.dirname(os.path.dirname(module)), "module_utils")
    return [path for path in (module, shared) if os.path.exists(path)]


request = json.load(sys.stdin)
own_packages()
try:
    import ansible
    from ansible.executor import module_common
    from ansible.parsing.dataloader import DataLoader
    from ansible.plugins import loader
    from ansible.template import Templar
except ImportError as error:
    fail("missing", str(error))


def internal(name, check):
    # What ansible-core tells every module beside its own arguments. no_log keeps the arguments
    # out of the host's log.
    return {
        "_ansible_check_mode": check,
        "_ansible_debug": False,
        "_ansible_diff": True,
        "_ansible_keep_remote_files": False,
        "_ansible_module_name": name,
        "_ansible_no_log": True,
        "_ansible_remote_tmp": "/tmp",
        "_ansible_selinux_special_fs": ["fuse", "nfs", "vboxsf", "ramfs", "9p", "vfat"],
        "_ansible_shell_executable": "/bin/sh",
        "_ansible_socket": None,
        "_ansible_string_conversion_action": "warn",
        "_ansible_syslog_facility": "LOG_USER",
        "_ansible_tmpdir": None,
        "_ansible_verbosity": 0,
        "_ansible_version": ansible.__version__,
    }


def build(name, path, check):
    wanted = {
        "module_name": name,
        "module_path": path,
        "module_args": dict(request["args"], **internal(name, check)),
        "templar": Templar(loader=DataLoader()),
        "task_vars": {"ansible_python_interpreter": request["python"]},
        "module_compression": "ZIP_DEFLATED",
        "async_timeout": 0,
        "environment": {},
        "remote_is_local": False,
    }
    # Releases differ in the parameters that they have.
    known = inspect.signature(module_common.modify_module).parameters
    built = module_common.modify_module(**{key: value for key, value in wanted.items() if key in known})
    if isinstance(built, tuple):
        return built[0], built[1]
    return built.b_module_data, built.module_style


try:
    if hasattr(loader, "init_plugin_loader"):
        loader.init_plugin_loader()
    found = loader.module_loader.find_plugin_with_context(request["module"])
    if not found.resolved:
        fail("unknown", "")
    name = found.resolved_fqcn or request["module"]
    action = loader.action_loader.find_plugin_with_context(request["module"]).resolved
    payloads = []
    for check in (True, False):
        data, style = build(name, found.plugin_resolved_path, check)
        python = str(style) == "new" and str(found.plugin_resolved_path).endswith(".py")
        payloads.append(base64.b64encode(data).decode("ascii"))
except Exception as error:
    fail("failed", "%s: %s" % (type(error).__name__, error))

json.dump({"name": name, "action": action, "python": python, "check": payloads[0], "real": payloads[1],
           "found": searched(found.plugin_resolved_path)}, sys.stdout)
