import { Link } from '@tanstack/react-router'

/** The name of the product, as a link to the list of all repositories. */
export const Brand = ({ className = '' }: { readonly className?: string }) => (
  <Link to="/overview" className={`flex items-center gap-2 text-[15px] font-semibold ${className}`}>
    <img src="/icon.svg" alt="" className="size-5" />
    Fixpoint
  </Link>
)
